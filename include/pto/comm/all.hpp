// SPDX-License-Identifier: Apache-2.0
// The list of collectives and signals.
#pragma once

#include "pto/comm/async.hpp"
#include "pto/comm/rank.hpp"
#include "pto/comm/tbroadcast.hpp"
#include "pto/comm/tgather.hpp"
#include "pto/comm/tget.hpp"
#include "pto/comm/tnotify.hpp"
#include "pto/comm/tput.hpp"
#include "pto/comm/treduce.hpp"
#include "pto/comm/tscatter.hpp"
#include "pto/comm/ttest.hpp"
#include "pto/comm/twait.hpp"
#include "pto/isa/all.hpp"

namespace pto::instr {

/// The instructions of collectives and signals, in addition to those of isa/all.hpp; the engine has one entry for each.
using CommInstructions = InstructionList<Tnotify, Twait, Ttest, Treduce>;

}  // namespace pto::instr

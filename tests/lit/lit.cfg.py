# SPDX-License-Identifier: Apache-2.0
# How are the .pto tests run? `lit tests/lit`, with -D ptox=TOOL -D llvm=/usr/lib/llvm-19/bin -D work=FOLDER.
import os

import lit.formats

config.name = "ptox"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".pto"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["work"]
config.environment["LC_ALL"] = "C.UTF-8"
llvm = lit_config.params.get("llvm", "/usr/lib/llvm-19/bin")
config.substitutions.append(("%ptox", lit_config.params["ptox"]))
config.substitutions.append(("FileCheck", os.path.join(llvm, "FileCheck")))
config.substitutions.append((r"(?<![-\w])not(?= )", os.path.join(llvm, "not")))

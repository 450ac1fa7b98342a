// SPDX-License-Identifier: MIT
// Domains, triangulations, verdicts and files of chapter distmesh.
#include "distmesh.hpp"

#include <gtest/gtest.h>

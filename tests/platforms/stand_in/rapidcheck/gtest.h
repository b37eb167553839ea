// Stands in for rapidcheck/gtest.h; see rapidcheck.h.
#pragma once
#include <gtest/gtest.h>
#include <rapidcheck.h>

#define RC_GTEST_PROP(Suite, Name, parameters)                                                     \
    static void rapidcheck_##Suite##_##Name parameters;                                            \
    TEST(Suite, Name)                                                                              \
    {                                                                                              \
        EXPECT_TRUE(rc::check_function(#Name, &rapidcheck_##Suite##_##Name));                      \
    }                                                                                              \
    static void rapidcheck_##Suite##_##Name parameters

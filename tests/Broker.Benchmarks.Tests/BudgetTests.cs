using System.Text.Json;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Tests;

public class BudgetTests
{
    private const int Operations = 100_000;

    [Fact]
    public void A_benchmark_that_meets_its_budget_is_no_problem()
        => Assert.Empty(Check("""{ "Suite.*": 40 }""", new MeasuredAllocation("Suite.Run", 40 * Operations, Operations)));

    [Fact]
    public void Allocations_of_the_harness_do_not_count()
        => Assert.Empty(Check("""{ "Suite.*": 0 }""", new MeasuredAllocation("Suite.Run", 14_080, Operations)));

    [Theory]
    [InlineData(1)]
    [InlineData(24)]
    [InlineData(39)]
    [InlineData(41)]
    [InlineData(64)]
    public void A_byte_more_or_less_than_the_budget_is_a_problem(int bytes)
        => Assert.Contains("its budget is 40", Assert.Single(
            Check("""{ "Suite.*": 40 }""", new MeasuredAllocation("Suite.Run", bytes * Operations, Operations))), StringComparison.Ordinal);

    [Fact]
    public void A_budget_of_null_accepts_every_amount()
        => Assert.Empty(Check(
            """{ "Suite.Other": null, "Suite.*": 40 }""", new("Suite.Other", 7 * Operations, Operations), new("Suite.Run", 40 * Operations, Operations)));

    [Fact]
    public void The_smallest_object_shows_even_where_operations_are_few()
        => Assert.Single(Check("""{ "Suite.*": 0 }""", new MeasuredAllocation("Suite.Run", 24 * 1400, 1400)));

    [Fact]
    public void A_benchmark_without_a_budget_is_a_problem()
        => Assert.Contains("Suite.Other: no budget", Assert.Single(
            Check("""{ "Suite.Run": 0 }""", new("Suite.Run", 0, Operations), new("Suite.Other", 0, Operations))), StringComparison.Ordinal);

    [Fact]
    public void A_budget_without_a_benchmark_is_a_problem_only_when_all_have_run()
    {
        var budgets = AllocationBudgets.Parse("""{ "Suite.Run": 0, "Gone.*": 0 }"""u8);
        MeasuredAllocation[] measured = [new("Suite.Run", 0, Operations)];

        Assert.Contains("Gone.*", Assert.Single(budgets.Check(measured, complete: true)), StringComparison.Ordinal);
        Assert.Empty(budgets.Check(measured, complete: false));
    }

    [Fact]
    public void The_first_pattern_that_matches_a_benchmark_applies()
    {
        const string Json = """{ "Suite.Run[Size=4]": 1, "Suite.Run[Size=4*": 24, "Suite.*": 0 }""";

        Assert.Empty(Check(
            Json, new("Suite.Run[Size=4, Held=1]", 24 * Operations, Operations), new("Suite.Run[Size=8, Held=1]", 0, Operations)));
    }

    [Theory]
    [InlineData("[]")]
    [InlineData("7")]
    [InlineData("""{ "Suite.*": -1 }""")]
    [InlineData("""{ "Suite.*": 1.5 }""")]
    [InlineData("""{ "Suite.*": "40" }""")]
    [InlineData("""{ "Suite.*": """)]
    public void A_file_that_is_not_a_list_of_budgets_is_refused(string json)
        => Assert.ThrowsAny<JsonException>(() => AllocationBudgets.Parse(System.Text.Encoding.UTF8.GetBytes(json)));

    private static string[] Check(string json, params MeasuredAllocation[] measured)
        => [.. AllocationBudgets.Parse(System.Text.Encoding.UTF8.GetBytes(json)).Check(measured, complete: false)];
}

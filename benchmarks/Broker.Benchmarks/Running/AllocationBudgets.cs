using System.Text.Json;

namespace Broker.Benchmarks.Running;

/// <summary>
/// The allocation budgets in the repository. The first pattern that matches a benchmark applies to it.
/// </summary>
internal sealed class AllocationBudgets(IReadOnlyList<AllocationBudget> budgets)
{
    internal const string FileName = "allocation-budgets.json";

    /// <summary>Reads a JSON object of patterns and bytes or nulls, in its order.</summary>
    /// <exception cref="JsonException">The text is not such an object.</exception>
    internal static AllocationBudgets Parse(ReadOnlySpan<byte> json)
    {
        var options = new JsonReaderOptions { CommentHandling = JsonCommentHandling.Skip, AllowTrailingCommas = true };
        var reader = new Utf8JsonReader(json, options);
        using var document = JsonDocument.ParseValue(ref reader);
        if (document.RootElement.ValueKind != JsonValueKind.Object)
        {
            throw new JsonException("The budgets must be an object of patterns and bytes per operation.");
        }

        var budgets = new List<AllocationBudget>();
        foreach (JsonProperty property in document.RootElement.EnumerateObject())
        {
            if (property.Value.ValueKind == JsonValueKind.Null)
            {
                budgets.Add(new AllocationBudget(property.Name, null));
                continue;
            }

            if (property.Value.ValueKind != JsonValueKind.Number || !property.Value.TryGetInt64(out long bytes) || bytes < 0)
            {
                throw new JsonException($"The budget of {property.Name} is neither a number of bytes nor null.");
            }

            budgets.Add(new AllocationBudget(property.Name, bytes));
        }

        return new AllocationBudgets(budgets);
    }

    /// <summary>
    /// Returns the problems of the measured allocations, one line each, or nothing if all budgets are met.
    /// </summary>
    /// <param name="measured">The allocations of every benchmark that ran.</param>
    /// <param name="complete">
    /// Whether all benchmarks ran, so that a budget without a benchmark is also a problem.
    /// </param>
    internal IEnumerable<string> Check(IReadOnlyCollection<MeasuredAllocation> measured, bool complete)
    {
        var used = new HashSet<AllocationBudget>();
        foreach (MeasuredAllocation allocation in measured)
        {
            AllocationBudget? budget = budgets.FirstOrDefault(b => b.Covers(allocation.Benchmark));
            if (budget is null)
            {
                yield return $"{allocation.Benchmark}: no budget; it allocates {allocation.Describe()}";
                continue;
            }

            used.Add(budget);
            if (budget.Bytes is { } bytes && !allocation.Meets(bytes))
            {
                yield return $"{allocation.Benchmark}: allocates {allocation.Describe()}, its budget is {bytes}";
            }
        }

        if (complete)
        {
            foreach (AllocationBudget budget in budgets.Where(b => !used.Contains(b)))
            {
                yield return $"{budget.Pattern}: a budget that no benchmark uses";
            }
        }
    }
}

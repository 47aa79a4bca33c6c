using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>
/// A table of one dimension: the figure of each server at each point, its growth since the first point, and the ratio
/// to the baseline.
/// </summary>
internal static class GrowthTable
{
    public static IEnumerable<Table> BuildAll(Results results)
        => results.Rows.Where(row => row.Point is not null)
            .GroupBy(row => (row.Point!.Dimension, row.Point.Figure))
            .Select(dimension => Build(results, dimension.Key.Dimension, dimension.Key.Figure, [.. dimension]));

    private static Table Build(Results results, string dimension, GrowthFigure figure, IReadOnlyList<Row> rows)
    {
        string[] names = [.. results.Names];
        string[] others = [.. results.Others];
        var table = new Table(
        [
            dimension,
            .. names.SelectMany(name => new[] { $"{name} {figure.Unit}", "min–max", "× first" }),
            .. others.SelectMany(name => new[] { $"{name} × {figure.Unit}", "by round" }),
        ]);
        ILookup<string, Sample> first = results.Of(rows[0]);
        foreach (Row row in rows)
        {
            ILookup<string, Sample> samples = results.Of(row);
            table.Add(
            [
                row.Point!.Label,
                .. names.SelectMany(name => Cells([.. samples[name]], first[name], figure)),
                .. others.SelectMany(name => new Comparison(samples[results.BaselineName], samples[name]).Cells(figure.Of)),
            ]);
        }

        return table;
    }

    private static string[] Cells(IReadOnlyList<Sample> samples, IEnumerable<Sample> first, GrowthFigure figure)
    {
        if (Spread.Of(Comparison.Figures(samples, figure.Of)) is not { } spread)
        {
            return [samples.Count > 0 ? "LOST" : Format.Nothing, Format.Nothing, Format.Nothing];
        }

        double grown = spread.Median / (Comparison.Median(first, figure.Of) ?? double.NaN);
        return [Format.Digits(spread.Median), Format.Range(spread, Format.Digits), Format.Times(grown)];
    }
}

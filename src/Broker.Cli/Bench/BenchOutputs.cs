namespace Broker.Cli.Bench;

/// <summary>The files and formats of the results, besides the table.</summary>
/// <param name="IsJson">Whether they are printed as JSON in place of the table.</param>
/// <param name="CsvFile">The CSV file; null for none.</param>
/// <param name="PlotFile">The SVG file; null for none.</param>
internal sealed record BenchOutputs(bool IsJson, string? CsvFile, string? PlotFile);

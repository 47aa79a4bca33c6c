namespace Broker.LoadTest.Rows;

/// <summary>A group of rows that is selected by one name.</summary>
internal sealed record RowGroup(string Name, string What, IReadOnlyList<Row> Rows);

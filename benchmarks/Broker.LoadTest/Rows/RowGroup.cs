namespace Broker.LoadTest.Rows;

/// <summary>Rows that answer one question, selected by one word.</summary>
internal sealed record RowGroup(string Name, string What, IReadOnlyList<Row> Rows);

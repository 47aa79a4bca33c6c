namespace Broker.Streams;

/// <summary>A finding of a verification or a repair.</summary>
public sealed record StoreFinding
{
    /// <summary>How bad it is.</summary>
    public required StoreFindingKind Kind { get; init; }

    /// <summary>The name of the file in the folder of the account.</summary>
    public required string File { get; init; }

    /// <summary>Where the finding begins in the file.</summary>
    public long Offset { get; init; }

    /// <summary>The number of bytes that cannot be used.</summary>
    public long Length { get; init; }

    /// <summary>The most records that these bytes can have contained. A message is one record.</summary>
    public long MostRecords { get; init; }

    /// <summary>
    /// The messages of which it is known that they were in these bytes. If the end of a stream is lost, its last messages
    /// are not in this list, because nothing names them any more.
    /// </summary>
    public IReadOnlyList<LostMessages> Lost { get; init; } = [];

    /// <summary>The streams of damaged records.</summary>
    public IReadOnlyList<string> Streams { get; init; } = [];

    /// <summary>A sentence for a reader.</summary>
    public required string Text { get; init; }
}

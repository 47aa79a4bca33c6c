namespace Broker.Streams;

/// <summary>The answer to a message that was not stored.</summary>
internal sealed class Rejection
{
    public ApiError? Error { get; init; }

    public string Stream { get; init; } = "";

    public ulong Seq { get; init; }
}

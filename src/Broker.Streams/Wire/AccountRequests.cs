namespace Broker.Streams;

/// <summary>The requests to the API.</summary>
internal sealed class AccountRequests
{
    public int Level { get; init; }

    public ulong Total { get; init; }

    public ulong Errors { get; init; }
}

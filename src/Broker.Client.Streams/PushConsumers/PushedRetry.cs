namespace Broker.Client.Streams;

/// <summary>Decides whether another attempt to create a consumer is of use.</summary>
internal static class PushedRetry
{
    // A cluster may not know its streams for a moment after a server has started.
    private const int AttemptsWithoutStream = 5;
    private const int MostDoublings = 10;

    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    internal static bool IsWorthwhile(Exception failure, int failures) => failure switch
    {
        StreamsUnavailableException => true,
        StreamException { Code: StreamErrorCode.StreamNotFound } => failures + 1 < AttemptsWithoutStream,
        StreamException { Status: 503 } => true,
        StreamException => false,
        // The connection waits for another server; its end is noticed there.
        ConnectionLostException or TimeoutException or PublishRefusedException => true,
        _ => false,
    };

    internal static TimeSpan PauseAfter(int failures)
    {
        TimeSpan pause = First * (1 << Math.Min(failures, MostDoublings));
        return pause < Longest ? pause : Longest;
    }
}

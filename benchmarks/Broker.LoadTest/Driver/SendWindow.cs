namespace Broker.LoadTest.Driver;

/// <summary>
/// Limits how far a publisher is ahead of the subscribers. A link between servers loses messages when its queue is
/// full, and a run with lost messages has no rate.
/// </summary>
internal sealed class SendWindow(IStream stream, Tally tally)
{
    private const long MostBytesAhead = 4 * 1024 * 1024;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);

    /// <summary>
    /// Returns when the publisher may continue after <paramref name="sent"/> messages, or when the measurement is over.
    /// </summary>
    public void Wait(long sent)
    {
        while (stream.ReceivedBytes(sent) - tally.Bytes > MostBytesAhead && !tally.IsOver)
        {
            Thread.Sleep(Pause);
        }
    }
}

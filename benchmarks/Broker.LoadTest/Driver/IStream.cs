namespace Broker.LoadTest.Driver;

/// <summary>
/// The messages that a publisher sends in a measurement, encoded before, and the bytes that a subscriber must receive.
/// </summary>
internal interface IStream
{
    /// <summary>The frames that a subscriber receives, which repeat from the first one on.</summary>
    ReadOnlyMemory<byte> Received { get; }

    /// <summary>Encodes the messages if this has not been done yet. Called before the clock runs.</summary>
    void Prepare();

    /// <summary>
    /// Sends the first <paramref name="count"/> messages. <paramref name="window"/>, if there is one, says when to
    /// wait.
    /// </summary>
    void Send(RawConnection connection, long count, SendWindow? window = null);

    /// <summary>
    /// Returns the number of bytes that a subscriber receives for the first <paramref name="count"/> messages.
    /// </summary>
    long ReceivedBytes(long count);
}

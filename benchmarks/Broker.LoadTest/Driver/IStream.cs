namespace Broker.LoadTest.Driver;

/// <summary>What a publisher sends in a measurement, encoded ahead of time, and what a subscriber must receive of it.</summary>
internal interface IStream
{
    /// <summary>The frames that a subscriber receives, over and over from the first one on.</summary>
    ReadOnlyMemory<byte> Received { get; }

    /// <summary>Encodes what is sent, if that has not been done, so that no clock runs meanwhile.</summary>
    void Prepare();

    /// <summary>Sends the first <paramref name="count"/> messages.</summary>
    void Send(RawConnection connection, long count);

    /// <summary>How many bytes a subscriber receives of the first <paramref name="count"/> messages.</summary>
    long ReceivedBytes(long count);
}

namespace Broker.Server;

/// <summary>The traffic of the clients that have left an account. Thread-safe.</summary>
internal sealed class PastTraffic
{
    private readonly Lock _gate = new();
    private long _messagesIn;
    private long _bytesIn;
    private long _messagesOut;
    private long _bytesOut;

    /// <summary>Adds the traffic of a client that has left.</summary>
    internal void Add(long messagesIn, long bytesIn, long messagesOut, long bytesOut)
    {
        lock (_gate)
        {
            _messagesIn += messagesIn;
            _bytesIn += bytesIn;
            _messagesOut += messagesOut;
            _bytesOut += bytesOut;
        }
    }

    internal (long MessagesIn, long BytesIn, long MessagesOut, long BytesOut) Read()
    {
        lock (_gate)
        {
            return (_messagesIn, _bytesIn, _messagesOut, _bytesOut);
        }
    }
}

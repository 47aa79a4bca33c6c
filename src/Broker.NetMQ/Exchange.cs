using Broker.ZeroMq;

namespace Broker.NetMQ;

/// <summary>
/// The envelope of the request that a REP or REQ socket works on. These sockets handle one request at a time and show
/// only its body. Used on the poller's thread.
/// </summary>
/// <param name="keepsEnvelope">
/// True for REQ, which passes the requests of a route to its workers: the reply gets the envelope of its request. False
/// for REP, whose requests get an envelope of one empty frame.
/// </param>
internal sealed class Exchange(bool keepsEnvelope) : IDisposable
{
    private readonly ZeroMqMessage _envelope = new();

    /// <summary>Whether the replies get the envelopes of their requests, so whether the socket is a REQ.</summary>
    internal bool KeepsEnvelope => keepsEnvelope;

    /// <summary>Whether a request was passed to the workers and has no reply yet.</summary>
    internal bool IsBusy { get; private set; }

    /// <summary>Puts the envelope before a message of the NetMQ socket.</summary>
    internal void Begin(ZeroMqMessage message)
    {
        if (!keepsEnvelope)
        {
            message.AppendEmpty();
            return;
        }

        IsBusy = false;
        for (int i = 0; i < _envelope.FrameCount; i++)
        {
            message.Append(_envelope[i]);
        }
    }

    /// <summary>
    /// Removes the envelope from a message of the route: the frames up to the first empty frame. Returns false if
    /// nothing follows the envelope.
    /// </summary>
    internal bool TryOpen(ZeroMqMessage message)
    {
        _envelope.Clear();
        bool isEnd = false;
        while (!isEnd && !message.IsEmpty)
        {
            isEnd = message.First.IsEmpty;
            _envelope.Append(message.First);
            message.RemoveFirst();
        }

        IsBusy = keepsEnvelope && !message.IsEmpty;
        return !message.IsEmpty;
    }

    public void Dispose() => _envelope.Dispose();
}

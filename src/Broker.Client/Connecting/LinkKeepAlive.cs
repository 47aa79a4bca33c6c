using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Sends PINGs on an established link, and fails the link if the server neither answers them nor sends anything else.
/// Runs on the event loop.
/// </summary>
internal sealed class LinkKeepAlive(Link link, ConnectionCore core)
{
    private LoopTimer? _timer;
    private int _unanswered;
    private long _receivedAtPing;

    internal void Start() => _timer = link.Transport.Loop.StartTimer(core.Options.PingInterval, Ping);

    internal void Cancel() => _timer?.Cancel();

    private void Ping()
    {
        if (!link.Transport.IsOpen)
        {
            return;
        }

        // The PONG may come behind a large message that is still arriving.
        long received = link.Transport.ReceivedBytes;
        _unanswered = received == _receivedAtPing ? _unanswered : 0;
        _receivedAtPing = received;
        if (_unanswered >= core.Options.MaxPingsOut)
        {
            link.Fail(new ConnectionLostException($"The server did not answer the keep-alive PINGs. ({link.ServerName})"));
            return;
        }

        _unanswered++;
        core.Barriers.Add(link, static (keepAlive, _) => ((LinkKeepAlive)keepAlive!)._unanswered = 0, this);
        Start();
    }
}

using Broker.Server.Monitoring;

namespace Broker.Server.Sessions;

// What a client is told that it did not ask for.
internal sealed partial class ClientSession
{
    private int _infoVersion;

    internal bool IsInProcess => Transport == ClientTransport.InProcess;

    /// <summary>Sends another INFO if the client said that it understands one. Any thread.</summary>
    internal void TellInfo() => _loop.Run(() =>
    {
        if (!_ended && Connection is not null && _connect is { ProtocolLevel: >= 1 })
        {
            Write(_server.InfoFor(this));
        }
    });

    /// <summary>It is about to be sent what INFO says now. On the loop.</summary>
    internal void SetInfoVersion(int version) => _infoVersion = version;

    /// <summary>The server's options have changed. Any thread.</summary>
    internal void OnReloaded(bool tell)
    {
        _loop.Run(() =>
        {
            if (!_ended && Connection is not null)
            {
                ApplyLimits();
            }
        });
        if (tell)
        {
            TellInfo();
        }
    }
}

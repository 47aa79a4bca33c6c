using Broker.Server.Tls;
using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>A client on its way to TLS, and then what it came there by. On the session's loop.</summary>
internal sealed class TlsUpgrade(ServerTls tls)
{
    internal ServerTls Tls { get; } = tls;

    /// <summary>Whether its first byte is to tell if it wants TLS.</summary>
    internal bool AwaitsHello { get; set; }

    /// <summary>When that takes too long.</summary>
    internal LoopTimer? Patience { get; set; }

    /// <summary>Whether it was sent INFO.</summary>
    internal bool IsGreeted { get; set; }

    internal bool IsInHandshake { get; set; }

    /// <summary>Whether the handshake came before INFO.</summary>
    internal bool WasFirst { get; set; }

    internal void Decide()
    {
        AwaitsHello = false;
        Patience?.Cancel();
        Patience = null;
    }
}

using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Broker.Server.Tls;
using Broker.Transport;
using Broker.Transport.Tls;

namespace Broker.Server.Sessions;

/// <summary>
/// A client on its way to TLS, before anything of it is looked at. It is counted and has its place in the server before the handshake,
/// which costs more than all that comes after it; so MaxConnections bounds that too. What the client sends in clear ahead of the
/// handshake goes into the handshake and makes it fail: no byte of it is ever parsed. On the connection's loop.
/// </summary>
internal sealed class TlsUpgrade(ServerTls tls, ClientChannel channel, ITlsUpgradeOwner owner)
{
    private const string TlsRequired = "Secure Connection - TLS Required";

    private LoopTimer? _patience;
    private bool _isGreeted;

    /// <summary>TLS as it was set up when this client came.</summary>
    internal ServerTls Tls => tls;

    /// <summary>Whether its first byte is to tell if it wants TLS.</summary>
    internal bool AwaitsHello { get; private set; }

    internal bool IsInHandshake { get; private set; }

    /// <summary>Whether the handshake came before INFO. Any thread.</summary>
    internal bool WasFirst { get; private set; }

    /// <summary>The connection is open.</summary>
    internal void Begin()
    {
        if (!tls.IsFirst)
        {
            GreetInClear();
        }
        else if (!owner.TryTakePlace(out string refusal))
        {
            // In clear it would not understand why, and to tell it otherwise would cost a handshake.
            channel.Server.Log.Refused(channel.Id, channel.RemoteEndPoint, refusal);
            channel.FailSilently(refusal);
        }
        else if (tls.Fallback == TimeSpan.Zero)
        {
            StartTls();
        }
        else
        {
            AwaitHello(tls.Fallback, GreetInClear);
        }
    }

    /// <summary>
    /// Looks at the first bytes of a client that <see cref="AwaitsHello"/>. Returns how many it has used up; what is left is for TLS where that
    /// <see cref="IsInHandshake"/> now, and else the client's protocol in clear.
    /// </summary>
    internal int Receive(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty || channel.IsEnded)
        {
            return bytes.Length;
        }

        bool hello = TlsDescription.StartsHandshake(bytes[0]);
        if (!hello && !_isGreeted)
        {
            GreetInClear();
        }

        if (channel.IsEnded)
        {
            return bytes.Length;
        }

        if (hello)
        {
            StartTls();
        }
        else if (!IsInHandshake)
        {
            StayInClear();
        }

        return 0;
    }

    /// <summary>The connection is gone. Returns the error that is still to be told, when it is not that of TLS.</summary>
    internal Exception? End(Exception? error)
    {
        Decide();
        if (error is null)
        {
            return null;
        }

        if (IsInHandshake)
        {
            channel.HasFailed(TlsRequired);
            channel.Server.Log.HandshakeFailed(channel.Id, channel.RemoteEndPoint, error);
            return null;
        }

        if (error is IOException or AuthenticationException)
        {
            channel.Server.Log.TlsFailed(channel.Id, channel.RemoteEndPoint, error);
            return null;
        }

        return error;
    }

    private void GreetInClear()
    {
        bool hasPlace = tls.IsFirst;
        Decide();
        if (channel.IsEnded)
        {
            return;
        }

        owner.Greet();
        _isGreeted = true;
        if (!hasPlace && !owner.TryTakePlace(out string refusal))
        {
            channel.Server.Log.Refused(channel.Id, channel.RemoteEndPoint, refusal);
            channel.Fail(refusal);
        }
        else if (tls.IsOptional)
        {
            AwaitHello(tls.Timeout, StayInClear);
        }
        else
        {
            StartTls();
        }
    }

    private void AwaitHello(TimeSpan patience, Action giveUp)
    {
        AwaitsHello = true;
        _patience = channel.Loop.StartTimer(patience, giveUp);
    }

    private void StartTls()
    {
        Decide();
        IsInHandshake = true;
        WasFirst = !_isGreeted;
        channel.Connection.StartTls(tls.Authentication, tls.Timeout, OnStarted);
    }

    private void OnStarted(Connection connection)
    {
        IsInHandshake = false;
        X509Certificate2? certificate = connection.TlsDescription!.RemoteCertificate;
        if (channel.IsEnded)
        {
            return;
        }

        if (!_isGreeted)
        {
            owner.Greet();
            _isGreeted = true;
        }

        owner.OnUpgraded(certificate);
    }

    private void StayInClear()
    {
        Decide();
        if (!channel.IsEnded)
        {
            owner.OnUpgraded(null);
        }
    }

    private void Decide()
    {
        AwaitsHello = false;
        _patience?.Cancel();
        _patience = null;
    }
}

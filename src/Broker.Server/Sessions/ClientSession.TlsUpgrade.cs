using System.Security.Authentication;
using Broker.Server.Monitoring;
using Broker.Server.Tls;
using Broker.Transport;
using Broker.Transport.Tls;

namespace Broker.Server.Sessions;

// TLS, before anything of the client's is looked at. It is counted and has its place in the server before the handshake, which
// costs more than all that comes after it; so MaxConnections bounds that too. What the client sends in clear ahead of
// the handshake goes into the handshake and makes it fail: no byte of it is ever parsed.
internal sealed partial class ClientSession
{
    private const string TlsRequired = "Secure Connection - TLS Required";

    // Null where there is no TLS.
    private TlsUpgrade? _tls;

    /// <summary>TLS as it was set up when this client came; null for none.</summary>
    internal ServerTls? Tls => _tls?.Tls;

    // Also one that stays in clear where it may: it has no certificate and is nobody.
    private bool IsMapped => _tls is { Tls.MapsUsers: true } && _security.HasUsers;

    private string? TlsVersion => Connection?.TlsFacts?.Protocol switch
    {
        null => null,
        SslProtocols.Tls12 => "1.2",
        SslProtocols.Tls13 => "1.3",
        { } other => other.ToString(),
    };

    private string? TlsCipherSuite => Connection?.TlsFacts?.CipherSuite.ToString();

    private void BeginTlsUpgrade()
    {
        if (Transport == ClientTransport.Socket && _server.Tls is { } tls)
        {
            _tls = new TlsUpgrade(tls);
        }
    }

    private void OpenTls(TlsUpgrade upgrade)
    {
        ServerTls tls = upgrade.Tls;
        if (!tls.IsFirst)
        {
            GreetInClear(upgrade);
            return;
        }

        if (!_server.TryEnter(this, out string refusal))
        {
            // In clear it would not understand why, and to tell it otherwise would cost a handshake.
            _server.Log.Refused(Id, RemoteEndPoint, refusal);
            _ended = true;
            Failure = refusal;
            Connection.Close();
        }
        else if (tls.Fallback == TimeSpan.Zero)
        {
            StartTls(upgrade);
        }
        else
        {
            AwaitHello(upgrade, tls.Fallback, () => GreetInClear(upgrade));
        }
    }

    private void GreetInClear(TlsUpgrade upgrade)
    {
        bool entered = upgrade.Tls.IsFirst;
        upgrade.Decide();
        if (_ended)
        {
            return;
        }

        Write(_server.InfoFor(this));
        upgrade.IsGreeted = true;
        if (!entered && !TryEnter())
        {
            return;
        }

        if (upgrade.Tls.IsOptional)
        {
            AwaitHello(upgrade, upgrade.Tls.Timeout, () => StayInClear(upgrade));
        }
        else
        {
            StartTls(upgrade);
        }
    }

    private void AwaitHello(TlsUpgrade upgrade, TimeSpan patience, Action giveUp)
    {
        // Whatever comes goes by the handler for clients that are not in, which knows of this.
        _admission ??= new Admission(_server.HeldBytes);
        upgrade.AwaitsHello = true;
        upgrade.Patience = _loop.StartTimer(patience, giveUp);
    }

    private int ReceiveHello(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        TlsUpgrade upgrade = _tls!;
        if (bytes.IsEmpty || _ended)
        {
            return bytes.Length;
        }

        bool hello = TlsFacts.StartsHandshake(bytes[0]);
        if (!hello && !upgrade.IsGreeted)
        {
            GreetInClear(upgrade);
        }

        if (_ended)
        {
            return bytes.Length;
        }

        if (hello)
        {
            StartTls(upgrade);
        }

        if (upgrade.IsInHandshake)
        {
            return 0;
        }

        StayInClear(upgrade);
        return OnReceived(connection, bytes, ref needed);
    }

    private void StartTls(TlsUpgrade upgrade)
    {
        upgrade.Decide();
        upgrade.IsInHandshake = true;
        upgrade.WasFirst = !upgrade.IsGreeted;
        Connection.StartTls(upgrade.Tls.Authentication, upgrade.Tls.Timeout, _ => OnTlsStarted(upgrade));
    }

    private void OnTlsStarted(TlsUpgrade upgrade)
    {
        upgrade.IsInHandshake = false;
        PeerCertificate = Connection.TlsFacts!.RemoteCertificate;
        if (_ended)
        {
            return;
        }

        if (!upgrade.IsGreeted)
        {
            Write(_server.InfoFor(this));
            upgrade.IsGreeted = true;
        }

        BeginService();
    }

    private void StayInClear(TlsUpgrade upgrade)
    {
        upgrade.Decide();
        if (!_ended)
        {
            BeginService();
        }
    }

    // The client's own time begins here: that for TLS was another.
    private void BeginService()
    {
        if (_principal is not null)
        {
            EndAdmission();
        }
        else if (_admission is not null)
        {
            StartAdmissionTimer();
        }

        Serve();
    }

    /// <summary>The connection is gone. Returns the error that is still to be told, when it is not that of TLS.</summary>
    private Exception? EndTlsUpgrade(Exception? error)
    {
        if (_tls is not { } upgrade)
        {
            return error;
        }

        upgrade.Decide();
        if (error is null)
        {
            return null;
        }

        if (upgrade.IsInHandshake)
        {
            Failure ??= TlsRequired;
            _server.Log.HandshakeFailed(Id, RemoteEndPoint, error);
            return null;
        }

        if (error is IOException or AuthenticationException)
        {
            _server.Log.TlsFailed(Id, RemoteEndPoint, error);
            return null;
        }

        return error;
    }
}

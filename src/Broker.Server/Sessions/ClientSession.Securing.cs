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
    private Securing? _securing;

    /// <summary>TLS as it was set up when this client came; null for none.</summary>
    internal ServerTls? Tls => _securing?.Tls;

    // Also one that stays in clear where it may: it has no certificate and is nobody.
    private bool IsMapped => _securing is { Tls.MapsUsers: true } && _security.HasUsers;

    private string? TlsVersion => Connection?.TlsFacts?.Protocol switch
    {
        null => null,
        SslProtocols.Tls12 => "1.2",
        SslProtocols.Tls13 => "1.3",
        { } other => other.ToString(),
    };

    private string? TlsCipherSuite => Connection?.TlsFacts?.CipherSuite.ToString();

    private void BeginSecuring()
    {
        if (Transport == ClientTransport.Socket && _server.Tls is { } tls)
        {
            _securing = new Securing(tls);
        }
    }

    private void OpenSecuring(Securing securing)
    {
        ServerTls tls = securing.Tls;
        if (!tls.IsFirst)
        {
            GreetInClear(securing);
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
            StartTls(securing);
        }
        else
        {
            AwaitHello(securing, tls.Fallback, () => GreetInClear(securing));
        }
    }

    private void GreetInClear(Securing securing)
    {
        bool entered = securing.Tls.IsFirst;
        securing.Decide();
        if (_ended)
        {
            return;
        }

        Write(_server.InfoFor(this));
        securing.IsGreeted = true;
        if (!entered && !TryEnter())
        {
            return;
        }

        if (securing.Tls.IsOptional)
        {
            AwaitHello(securing, securing.Tls.Timeout, () => StayInClear(securing));
        }
        else
        {
            StartTls(securing);
        }
    }

    private void AwaitHello(Securing securing, TimeSpan patience, Action giveUp)
    {
        // Whatever comes goes by the handler for clients that are not in, which knows of this.
        _admission ??= new Admission(_server.HeldBytes);
        securing.AwaitsHello = true;
        securing.Patience = _loop.StartTimer(patience, giveUp);
    }

    private int ReceiveHello(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        Securing securing = _securing!;
        if (bytes.IsEmpty || _ended)
        {
            return bytes.Length;
        }

        bool hello = TlsFacts.StartsHandshake(bytes[0]);
        if (!hello && !securing.IsGreeted)
        {
            GreetInClear(securing);
        }

        if (_ended)
        {
            return bytes.Length;
        }

        if (hello)
        {
            StartTls(securing);
        }

        if (securing.IsInHandshake)
        {
            return 0;
        }

        StayInClear(securing);
        return OnReceived(connection, bytes, ref needed);
    }

    private void StartTls(Securing securing)
    {
        securing.Decide();
        securing.IsInHandshake = true;
        securing.WasFirst = !securing.IsGreeted;
        Connection.StartTls(securing.Tls.Authentication, securing.Tls.Timeout, _ => OnSecured(securing));
    }

    private void OnSecured(Securing securing)
    {
        securing.IsInHandshake = false;
        PeerCertificate = Connection.TlsFacts!.RemoteCertificate;
        if (_ended)
        {
            return;
        }

        if (!securing.IsGreeted)
        {
            Write(_server.InfoFor(this));
            securing.IsGreeted = true;
        }

        BeginService();
    }

    private void StayInClear(Securing securing)
    {
        securing.Decide();
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
    private Exception? EndSecuring(Exception? error)
    {
        if (_securing is not { } securing)
        {
            return error;
        }

        securing.Decide();
        if (error is null)
        {
            return null;
        }

        if (securing.IsInHandshake)
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

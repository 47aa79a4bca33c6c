using System.Net;
using System.Net.Security;
using System.Text;
using System.Text.Json;
using Broker.Server;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// One connection of a server that joins this server. Until its CONNECT is accepted, only CONNECT is read, and at most
/// <see cref="MaxConnect"/> bytes are kept. Used on the loop of the connection only, unless a comment says otherwise.
/// </summary>
internal sealed class JoinedSession(LeafListener listener, EndPoint? address, ulong id) : PeerSession
{
    // A CONNECT may contain a JWT and denied subjects.
    private const int MaxConnect = 32 * 1024;

    // The number of bytes that one read may take before the other server is authenticated.
    private const int MaxRead = 8 * 1024;

    private const byte TlsHandshakeRecord = 22;

    private Phase _phase;
    private string _nonce = "";
    private volatile JoinedLink? _link;
    private LinkPermissions? _permissions;

    private enum Phase
    {
        AwaitingFirstByte,
        AwaitingTls,
        AwaitingConnect,
        Verifying,
        Ready,
    }

    /// <summary>The link; null until the other server is authenticated. Any thread may read it.</summary>
    internal JoinedLink? Link => _link;

    protected override PeerLink Peer => _link!;

    protected override bool IsReady => _phase == Phase.Ready;

    protected override int MaxInterest => listener.Options.MaxInterest;

    protected override TimeSpan PingInterval => listener.PingInterval;

    protected override bool PassesLoopSubjects => true;

    private string Address => address?.ToString() ?? "?";

    public override void OnOpened(Connection connection)
    {
        Open(connection, listener.Options.MaxPendingBytes);
        connection.MaxReadBytes = MaxRead;
        if (!listener.TryAdd(this))
        {
            Fail("maximum connections exceeded", $"there are more than {listener.Options.MaxConnections} connections");
            return;
        }

        if (listener.Tls is not { } tls)
        {
            SendInfo();
            Await(Phase.AwaitingConnect);
        }
        else if (!tls.Options.HandshakeFirst)
        {
            SendInfo();
            StartTls(tls.Authentication);
        }
        else if (tls.Options.HandshakeFirstFallback == TimeSpan.Zero)
        {
            StartTls(tls.Authentication);
        }
        else
        {
            _phase = Phase.AwaitingFirstByte;
            StartTimer(tls.Options.HandshakeFirstFallback);
        }
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        if (Reason is not null)
        {
            // The connection is being closed.
            return bytes.Length;
        }

        if (_phase == Phase.Ready)
        {
            return Parse(bytes, ref needed);
        }

        if (_phase == Phase.AwaitingFirstByte && !bytes.IsEmpty)
        {
            if (bytes[0] == TlsHandshakeRecord)
            {
                StartTls(listener.Tls!.Authentication);
            }
            else
            {
                Refuse("Secure Connection - TLS Required", "it does not use TLS");
            }

            return 0;
        }

        return _phase == Phase.AwaitingConnect ? ReceiveConnect(bytes) : 0;
    }

    public override void OnDiscarded(Connection connection, ReadOnlySpan<byte> written)
        => _link?.CountUnsent(CountMessages(written));

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        StopTimer();
        string text = Reason ?? LinkEnds.Explain(reason, error);
        if (_link is { } link)
        {
            link.CountUnsent(connection.CountUnsent().Messages);
            link.End(text);
        }
        else if (_phase == Phase.AwaitingTls)
        {
            listener.Log.Refused(Address, $"TLS failed: {text}");
        }

        listener.Remove(this);
    }

    /// <summary>Ends the connection, for example at a reload. Any thread may call this.</summary>
    /// <param name="error">The error for the other server; null for none.</param>
    /// <param name="reason">The reason that is logged.</param>
    internal void End(string? error, string reason)
        => Connection?.Loop.TryPost(() =>
        {
            if (error is null)
            {
                Fail(reason);
            }
            else
            {
                Fail(error, reason);
            }
        });

    protected override void OnHandshakeTimeout()
    {
        if (_phase == Phase.AwaitingFirstByte)
        {
            SendInfo();
            StartTls(listener.Tls!.Authentication);
            return;
        }

        Refuse("Authentication Timeout", "it sent no valid CONNECT in time");
    }

    // A second INFO of a leaf node has nothing that is used here.
    protected override bool ReceiveInfo(ReadOnlySpan<byte> json) => true;

    protected override void LogError(string message) => listener.Log.Error(Address, message);

    protected override bool MayAsk(ReadOnlySpan<byte> filter)
    {
        if (_permissions!.MayAsk(filter))
        {
            return true;
        }

        string text = $"Permissions Violation for Subscription to \"{Encoding.UTF8.GetString(filter[..Math.Min(filter.Length, 256)])}\"";
        Fail(text, text);
        return false;
    }

    private void Await(Phase phase)
    {
        _phase = phase;
        StartTimer(listener.Options.AuthTimeout);
    }

    private void StartTls(SslServerAuthenticationOptions authentication)
    {
        bool sendsInfo = _nonce.Length == 0;
        StopTimer();
        _phase = Phase.AwaitingTls;
        Connection!.StartTls(authentication, listener.Options.Tls!.Timeout, _ =>
        {
            if (sendsInfo)
            {
                SendInfo();
            }

            Await(Phase.AwaitingConnect);
        });
    }

    private void SendInfo()
    {
        ListenerInfo info = listener.CreateInfo(id);
        _nonce = info.Nonce;
        Send(info);
    }

    private void Send(ListenerInfo info)
    {
        LoopWriteBuffer buffer = Connection!.GetWriteBuffer(Connection.Loop);
        buffer.Write("INFO "u8);
        buffer.Write(JsonSerializer.SerializeToUtf8Bytes(info, HandshakeJson.Default.ListenerInfo));
        buffer.Write("\r\n"u8);
    }

    private int ReceiveConnect(ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<byte> verb = "CONNECT "u8;
        ReadOnlySpan<byte> begin = bytes[..Math.Min(bytes.Length, verb.Length)];
        if (!Ascii.EqualsIgnoreCase(begin, verb[..begin.Length]))
        {
            Refuse("Authorization Violation", "it sent an operation before CONNECT");
            return bytes.Length;
        }

        int end = bytes.IndexOf((byte)'\n');
        if (end < 0)
        {
            if (bytes.Length > MaxConnect)
            {
                Refuse("Maximum Control Line Exceeded", $"its CONNECT has more than {MaxConnect} bytes");
            }

            return 0;
        }

        LeafConnect? connect = null;
        try
        {
            connect = end <= MaxConnect ? JsonSerializer.Deserialize(bytes[verb.Length..end].TrimEnd((byte)'\r'), HandshakeJson.Default.LeafConnect) : null;
        }
        catch (JsonException)
        {
            // The code below reports this error, and also a JSON "null".
        }

        if (connect is null)
        {
            Refuse("Parser Error", "its CONNECT cannot be read");
        }
        else if (!string.IsNullOrEmpty(connect.Language))
        {
            Refuse("Attempted To Connect To Leaf Node Port", "it is a client, and this port is for leaf nodes");
        }
        else if (connect.IsHub)
        {
            Refuse("Authorization Violation", "it wants to be the hub of this link: remove \"hub: true\" from its remote");
        }
        else
        {
            Authenticate(connect);
        }

        return end + 1;
    }

    private void Authenticate(LeafConnect connect)
    {
        _phase = Phase.Verifying;
        Connection!.PauseReceiving();
        var credentials = new PeerCredentials
        {
            UserName = connect.User,
            Password = connect.Password,
            Token = connect.Token,
            Key = connect.Nkey,
            Signature = connect.Signature,
        };
        EventLoop loop = Connection.Loop;
        listener.Authenticator.Authenticate(address, credentials, _nonce, identity =>
        {
            if (!loop.TryPost(() => Admit(connect, identity)))
            {
                Connection.Close();
            }
        });
    }

    private void Admit(LeafConnect connect, PeerIdentity? identity)
    {
        if (_phase != Phase.Verifying || !Connection!.IsOpen || Reason is not null)
        {
            return;
        }

        // The users may have changed during the verification.
        if (identity is null || !listener.Authenticator.IsValid(identity))
        {
            Refuse("Authorization Violation", "wrong credentials");
            return;
        }

        try
        {
            Begin(connect, identity);
        }
        catch (ArgumentException e)
        {
            Refuse("Authorization Violation", e.Message);
        }
        catch (ObjectDisposedException)
        {
            Fail("the server has stopped");
        }
    }

    private void Begin(LeafConnect connect, PeerIdentity identity)
    {
        JoinedLink link = listener.CreateLink(connect, identity, Connection!.Loop, address);
        try
        {
            _permissions = LinkPermissions.ForJoined(identity.Permissions, link.Target.IsSystemAccount, connect.DenyPublish ?? [], listener.HasStreams(identity.Account) ? StreamSubjects.All : []);
            link.Target.SetPermissions(_permissions.Target);
        }
        catch (ArgumentException)
        {
            link.Target.Dispose();
            throw;
        }

        _link = link;
        _phase = Phase.Ready;
        Connection.MaxReadBytes = 0;
        listener.EndOlder(this, link);
        ListenerInfo answer = listener.CreateInfo(id);
        answer.Nonce = _nonce;
        answer.ConnectInfo = true;
        answer.RemoteAccount = identity.Account;
        answer.IsSystemAccount = link.Target.IsSystemAccount ? true : null;
        answer.Import = Of(identity.Permissions?.Subscribe);
        answer.Export = Of(identity.Permissions?.Publish);
        Send(answer);
        link.Begin(new LinkOutput(Connection, long.MaxValue, connect.Headers, null, _permissions));
        StartTimer(PingInterval);
        Connection.ResumeReceiving();
    }

    private void Refuse(string error, string reason)
    {
        if (Reason is null)
        {
            listener.Log.Refused(Address, reason);
        }

        Fail(error, reason);
    }

    private static HubPermission? Of(SubjectPermissions? subjects)
        => subjects is null or { Allow: null, Deny.Count: 0 } ? null : new HubPermission
        {
            Allow = subjects.Allow?.ToArray(),
            Deny = subjects.Deny.Count == 0 ? null : [.. subjects.Deny],
        };
}

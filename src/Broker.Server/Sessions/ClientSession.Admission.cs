using System.Security.Cryptography.X509Certificates;
using Broker.Protocol;
using Broker.Protocol.Parsing;
using Broker.Server.Security;
using Broker.Transport;

namespace Broker.Server.Sessions;

// Before a client is let in: its bytes go by a handler of their own that knows nothing but CONNECT, so that nothing it may not
// do can be forgotten elsewhere, and the fast path has no branch for it.
internal sealed partial class ClientSession
{
    private const string NotAuthorized = "Authorization Violation";

    private readonly string? _user;
    private SecurityRules _security = null!;
    private Principal? _principal;

    // Null once it is in.
    private Admission? _admission;

    /// <summary>What it may do; null for everything.</summary>
    internal AccessRules? Access => _target.Access;

    /// <summary>What it must sign to come in by a key.</summary>
    internal string? Nonce { get; private set; }

    /// <summary>Whether it has to show something.</summary>
    internal bool MustAuthenticate => Unasked is null;

    /// <summary>As whom it came in; null for nobody in particular.</summary>
    internal string? UserName => _principal?.Name;

    /// <summary>The certificate it has proved; set when the handshake is done.</summary>
    internal X509Certificate2? PeerCertificate { get; private set; }

    // Who it is before and without CONNECT. Where certificates say who clients are, nothing else does.
    private Principal? Unasked => IsMapped ? null : _user is null ? _security.Unasked : _security.Find(_user);

    private void BeginAdmission()
    {
        _security = _server.Security;
        Nonce = _security.NewNonce();
        if (Unasked is { } principal && _server.Accounts.Find(principal.Account) is { } account)
        {
            Become(principal, account);
        }
        else
        {
            _admission = new Admission(_server.HeldBytes);
            if (_tls is null)
            {
                StartAdmissionTimer();
            }
        }
    }

    private void StartAdmissionTimer() => _admission!.Deadline = _loop.StartTimer(_security.Timeout, OnAdmissionLate);

    private void EndAdmission()
    {
        _admission?.Deadline?.Cancel();
        if (_admission is { IsDeciding: true })
        {
            _admission.EndHold();
        }

        _admission = null;
    }

    private void OnAdmissionLate()
    {
        _server.Log.NotAuthorized(Id, RemoteEndPoint, "Authentication Timeout");
        _server.Events.Unauthorized(this, null, "Authentication Timeout");
        Fail("Authentication Timeout");
    }

    private int ReceiveBeforeAdmission(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        if (_tls is { AwaitsHello: true })
        {
            return ReceiveHello(connection, bytes, ref needed);
        }

        Admission admission = _admission!;
        if (admission.IsDeciding)
        {
            return Hold(admission, bytes);
        }

        if (!admission.Rest.IsEmpty)
        {
            return Rejoin(admission, connection, bytes, ref needed);
        }

        if (!bytes.IsEmpty && (bytes[0] | 0x20) != 'c')
        {
            // By its first byte, as nats-server does it: a payload is not even collected.
            Refuse("an operation before CONNECT");
            return bytes.Length;
        }

        var handler = new OperationsBeforeAdmission(this);
        int consumed = _parser.Parse(bytes, ref handler, ref needed, out ProtocolError error);
        if (error != ProtocolError.None && !_ended)
        {
            _server.Log.ProtocolError(Id, RemoteEndPoint, ProtocolErrorText.For(error));
            Fail(ProtocolErrorText.For(error));
        }

        if (_ended || _admission is { IsDeciding: false })
        {
            return consumed;
        }

        return consumed + (_admission is null ? OnReceived(connection, bytes[consumed..], ref needed) : Hold(admission, bytes[consumed..]));
    }

    // Consumed as the connection sees it, whatever happens to it.
    private int Hold(Admission admission, ReadOnlySpan<byte> bytes)
    {
        if (!_ended && !admission.TryHold(bytes))
        {
            Refuse("too much was sent before it was decided");
        }

        return bytes.Length;
    }

    /// <summary>It is decided who the client is. What it sent meanwhile is looked at now.</summary>
    private void OnDecided(Admission admission, ConnectRequest request, Principal? principal)
    {
        if (_admission != admission || _ended)
        {
            return;
        }

        admission.EndHold();
        if (principal is null || _security != _server.Security)
        {
            Refuse("wrong credentials", request);
            return;
        }

        if (!Enter(request, principal) || admission.Rest.IsEmpty)
        {
            return;
        }

        int needed = 0;
        ParseRest(admission, Connection, admission.Rest.Length, ref needed);
    }

    // The first operation behind CONNECT had not wholly come when it was decided: the connection has given its beginning away.
    private int Rejoin(Admission admission, Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        int before = admission.Rest.Length;
        admission.Append(bytes);
        if (admission.Rest.Length < admission.Needed)
        {
            return bytes.Length;
        }

        int consumed = ParseRest(admission, connection, before, ref needed);
        return _admission == admission ? bytes.Length : Math.Max(0, consumed - before);
    }

    // Looks at the rest. Once more than its first part is consumed the connection keeps what is left itself; else it is again
    // kept here, until the operation is whole.
    private int ParseRest(Admission admission, Connection connection, int firstPart, ref int needed)
    {
        _admission = null;
        int consumed = OnReceived(connection, admission.Rest, ref needed);
        if (!_ended && _admission is null && consumed < firstPart)
        {
            admission.DropFirst(consumed);
            admission.Needed = needed;
            needed = 0;
            _admission = admission;
        }

        return consumed;
    }

    private void Refuse(string why, ConnectRequest? request = null)
    {
        if (!_ended)
        {
            _server.Events.Unauthorized(this, request, "Authentication Failure");
        }

        _server.Log.NotAuthorized(Id, RemoteEndPoint, why);
        Fail(NotAuthorized);
    }

    /// <summary>What the parser tells of a client that is not in yet.</summary>
    private readonly struct OperationsBeforeAdmission(ClientSession session) : IClientOperationHandler
    {
        public bool OnPublish(scoped PublishOperation operation) => Refuse();

        public bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid) => Refuse();

        public bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => Refuse();

        public bool OnConnect(ReadOnlySpan<byte> json)
        {
            session.Connect(json);
            // What follows is for another handler, or for later.
            return false;
        }

        public bool OnPing() => Refuse();

        public bool OnPong() => Refuse();

        private bool Refuse()
        {
            session.Refuse("an operation before CONNECT");
            return false;
        }
    }
}

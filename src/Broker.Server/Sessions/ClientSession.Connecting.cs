using Broker.Server.Security;

namespace Broker.Server.Sessions;

// CONNECT, which may come again and then starts afresh.
internal sealed partial class ClientSession
{
    // What a client is that has not said CONNECT: nats-server answers it with +OK too.
    private bool _verbose = true;
    private bool _pedantic = true;

    private bool Connect(ReadOnlySpan<byte> json)
    {
        _trace?.Connect(json);
        if (ConnectRequest.TryParse(json, _connect, out string? problem) is not { } request)
        {
            _server.Log.ProtocolError(Id, RemoteEndPoint, problem!);
            Fail("Parser Error");
            return false;
        }

        return Authenticate(request);
    }

    /// <summary>Takes a client in that has shown who it is, or takes it in anew. False when it is closed for something else.</summary>
    private bool Enter(ConnectRequest request, Principal principal)
    {
        if (!request.IsKnownProtocol)
        {
            _server.Log.ProtocolError(Id, RemoteEndPoint, "invalid client protocol");
            Fail("invalid client protocol");
            return false;
        }

        if (request.NoResponders && !request.Headers)
        {
            _server.Log.ProtocolError(Id, RemoteEndPoint, "no responders requires headers support");
            Fail("no responders requires headers support");
            return false;
        }

        if (_server.Accounts.Find(principal.Account) is not { } account)
        {
            Refuse("its account is not there any more");
            return false;
        }

        // What it subscribed to as somebody else, or before this CONNECT, is not its own any more.
        if (_connect is not null || principal != _principal)
        {
            EndSubscriptions();
        }

        Become(principal, account);
        EndAdmission();
        PongReceived();
        bool isFirst = _connect is null;
        _connect = request.WithoutCredentials();
        _trace?.Name(_connect.Name);
        _verbose = request.Verbose;
        _pedantic = request.Pedantic;
        _publisher.NotTo = request.Echo ? null : _target;
        _target.TakesHeaders = request.Headers;
        _mustCheck = _verbose || _pedantic;
        _server.Log.Connected(Id, RemoteEndPoint, request.Name, request.Language, request.Version);
        Acknowledge();
        if (_infoVersion != _server.InfoVersion && request.ProtocolLevel >= 1)
        {
            // It was greeted before the change, and said only now that it understands another INFO.
            Write(_server.InfoFor(this));
        }

        if (isFirst)
        {
            _server.Events.Connected(this);
        }

        return true;
    }
}

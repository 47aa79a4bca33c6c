namespace Broker.Server.Sessions;

// CONNECT, which may come again and then starts afresh.
internal sealed partial class ClientSession
{
    // What a client is that has not said CONNECT: nats-server answers it with +OK too.
    private bool _verbose = true;
    private bool _pedantic = true;
    private bool _noEcho;

    private bool Connect(ReadOnlySpan<byte> json)
    {
        if (ConnectRequest.TryParse(json, _connect, out string? problem) is not { } request)
        {
            _server.Log.ProtocolError(Id, RemoteEndPoint, problem!);
            Fail("Parser Error");
            return false;
        }

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

        if (_connect is not null)
        {
            EndSubscriptions();
        }

        PongReceived();
        _connect = request;
        _verbose = request.Verbose;
        _pedantic = request.Pedantic;
        _noEcho = !request.Echo;
        TakesHeaders = request.Headers;
        _mustCheck = _verbose || _pedantic;
        _server.Log.Connected(Id, RemoteEndPoint, request.Name, request.Language, request.Version);
        Acknowledge();
        return true;
    }
}

using Broker.Protocol;

namespace Broker.Server;

/// <summary>The parser's handler for a client that is not authenticated yet. It only accepts CONNECT.</summary>
internal readonly struct OperationsBeforeAdmission(Authentication authentication) : IClientOperationHandler
{
    public bool OnPublish(scoped PublishOperation operation) => Refuse();

    public bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
        => Refuse();

    public bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => Refuse();

    public bool OnConnect(ReadOnlySpan<byte> json)
    {
        authentication.Connect(json);
        // Stop the parser: the operations after CONNECT need another handler, or must wait for the decision.
        return false;
    }

    public bool OnPing() => Refuse();

    public bool OnPong() => Refuse();

    public bool OnOk() => Refuse();

    public bool OnInfo(ReadOnlySpan<byte> json) => Refuse();

    public bool OnError(ReadOnlySpan<byte> text) => Refuse();

    private bool Refuse()
    {
        authentication.Refuse("an operation before CONNECT");
        return false;
    }
}

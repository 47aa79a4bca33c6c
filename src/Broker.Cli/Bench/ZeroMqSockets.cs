namespace Broker.Cli.Bench;

/// <summary>The ZeroMQ sockets that <c>broker bench zmq</c> measures.</summary>
internal enum ZeroMqSockets
{
    /// <summary>PUSH and PULL.</summary>
    PushPull,

    /// <summary>PUB and SUB.</summary>
    PublishSubscribe,

    /// <summary>REQ and REP.</summary>
    RequestReply,
}

using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// REP: receives a request from one peer, sends the reply to that peer, and then receives the next request (RFC 28).
/// Any other order throws. A reply is dropped if its peer has disconnected.
/// </summary>
/// <example><code>
/// using var response = new ResponseSocket();
/// response.Bind("tcp://127.0.0.1:5560");
/// string request = response.ReceiveString();
/// response.Send(request + " world");
/// </code></example>
public sealed class ResponseSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public ResponseSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        Order = new RequestReplyOrder(isReply: true, isRelaxed: false);
        Attach(() =>
        {
            var socket = new LoopRep(Loop, new CopySink(CreateReceiveQueue()), Options);
            socket.IsShared = true;
            var sender = new OneByOneSender(message => SendReply(socket, message), socket.FlushReply);
            CreateSendQueue(sender, isOpen: true, socket.PipeGate, isPrompt: true);
            return socket;
        });
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;

    private static bool SendReply(LoopRep socket, ReadOnlySpan<byte> message)
    {
        var reply = new Encoders.Verbatim(message);
        socket.Reply(ref reply);
        return true;
    }
}

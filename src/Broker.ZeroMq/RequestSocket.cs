using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// REQ: sends a request to one peer, receives its reply, and then sends the next request (RFC 28). Any other order
/// throws.
/// </summary>
/// <example><code>
/// using var request = new RequestSocket();
/// request.Connect("tcp://127.0.0.1:5560");
/// request.Send("hello");
/// Console.WriteLine(request.ReceiveString());
/// </code></example>
public sealed class RequestSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="RequestSocketOptions"/>.</param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public RequestSocket(RequestSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        options ??= new RequestSocketOptions();
        Order = new RequestReplyOrder(isReply: false, options.Relaxed);
        Attach(() => Create(options));
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;

    private LoopReq Create(RequestSocketOptions options)
    {
        var loopOptions = new LoopReqOptions(options) { Relaxed = options.Relaxed, Correlate = options.Correlate };
        var socket = new LoopReq(Loop, new CopySink(CreateReceiveQueue()), loopOptions);
        socket.IsShared = true;
        var sender = new OneByOneSender(message => SendRequest(socket, message, options.Relaxed), socket.FlushPipes);
        SendQueue outbound = CreateSendQueue(sender, isOpen: false, socket.PipeGate, isPrompt: true);
        socket.OnWritable = outbound.Resume;
        socket.OnUnwritable = outbound.Pause;
        if (options.Relaxed)
        {
            // As soon as a new request is queued, it replaces all earlier requests.
            socket.TakesUnderGate = true;
            socket.IsSuperseded = () => outbound.Waiting > 0;
            Sender.Superseded = () =>
            {
                lock (socket.PipeGate)
                {
                    if (outbound.Waiting > 0)
                    {
                        Receiver.Clear();
                    }
                }

                // The loop may have tried to take the request while this thread held the gate. The loop does not wait
                // for the gate, so flush the request here.
                outbound.FlushNow();
            };
        }

        return socket;
    }

    private bool SendRequest(LoopReq socket, ReadOnlySpan<byte> message, bool isRelaxed)
    {
        var request = new Encoders.Verbatim(message);
        if (!socket.TrySend(ref request))
        {
            return false;
        }

        if (isRelaxed)
        {
            // No peer can have answered the request yet, so all received messages are late replies.
            Receiver.Clear();
        }

        return true;
    }
}

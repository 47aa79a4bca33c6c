using Broker.ZeroMq.Queues;
using Broker.ZeroMq.RequestReply;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq;

/// <summary>REQ: a request to one peer, then its reply, then the next request (RFC 28). Any other order throws.</summary>
public sealed class RequestSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">Default: those of a new <see cref="RequestSocketOptions"/>.</param>
    /// <param name="context">Default: one of its own, on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public RequestSocket(RequestSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        options ??= new RequestSocketOptions();
        Turns = new TurnTaking(isReply: false, options.Relaxed);
        var loopOptions = new LoopReqOptions(options) { Relaxed = options.Relaxed, Correlate = options.Correlate };
        var socket = new LoopReq(Loop, new CopySink(MakeInbound()), loopOptions);
        socket.IsShared = true;
        var sender = new OneByOneSender(message => Ask(socket, message, options.Relaxed), socket.FlushPipes);
        var outbound = MakeOutbound(sender, isOpen: false, socket.PipeGate, isPrompt: true);
        socket.OnWritable = outbound.Resume;
        socket.OnUnwritable = outbound.HoldUp;
        if (options.Relaxed)
        {
            // A request that is sent gives all before it up, from the moment on in which it waits to go out.
            socket.TakesUnderGate = true;
            socket.IsSuperseded = () => outbound.Waiting > 0;
            Superseded = () =>
            {
                lock (socket.PipeGate)
                {
                    if (outbound.Waiting > 0)
                    {
                        DropReceived();
                    }
                }

                // The loop may have come for the request meanwhile, and does not wait for the gate.
                outbound.Push();
            };
        }

        Serve(socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => CanSend;

    /// <inheritdoc/>
    public bool HasMessages => CanReceive;

    private bool Ask(LoopReq socket, ReadOnlySpan<byte> message, bool isRelaxed)
    {
        var request = new Encoders.Verbatim(message);
        if (!socket.TrySend(ref request))
        {
            return false;
        }

        if (isRelaxed)
        {
            // Nothing can have answered it yet.
            DropReceived();
        }

        return true;
    }
}

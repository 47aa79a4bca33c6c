using System.Text;
using Broker.Protocol;

namespace Broker.Bridge;

/// <summary>
/// The options of a route for ROUTER, DEALER and PAIR programs. It publishes their messages unchanged to one subject
/// and sends the messages of another subject to them. Use it for dialogues that are neither requests nor pipelines. The
/// header <c>Zmq-Identity</c> contains the identity of the sender or receiver in hexadecimal digits.
/// </summary>
/// <remarks>
/// <para>A single frame is the whole payload. Several frames are each written as a 4-byte big-endian length and the
/// bytes, and <c>Zmq-Frames</c> contains their number.</para>
/// <para>Delivery is at most once. ZeroMQ programs wait while no server is connected or the server accepts no more
/// messages. A message from the subject is dropped and counted if its receiver is not connected or has reached its
/// high-water mark, as a ROUTER socket does.</para>
/// </remarks>
public sealed record RawRouteOptions : SocketRouteOptions
{
    /// <summary>The type of the ZeroMQ socket.</summary>
    public required RawSocket Socket { get; init; }

    /// <summary>The subject that the messages of ZeroMQ programs are published to.</summary>
    public required string ToSubject { get; init; }

    /// <summary>
    /// The subject whose messages are sent to ZeroMQ programs. It may have wildcards but must not match
    /// <see cref="ToSubject"/>.
    /// </summary>
    public required string FromSubject { get; init; }

    /// <summary>
    /// The queue group of the subscription: each message goes to one bridge of the group. Default null: each bridge
    /// receives all messages.
    /// </summary>
    public string? QueueGroup { get; init; }

    /// <summary>
    /// Whether the first frame of each message is the identity in the header, as between the two sockets of a proxy.
    /// Only a DEALER route may set it: a ROUTER route at one end and such a DEALER route at the other end form a proxy
    /// across subjects. Default false: all frames are the payload.
    /// </summary>
    public bool CarryIdentities { get; init; }

    /// <inheritdoc/>
    public override string Pattern => Socket switch
    {
        RawSocket.Router => "router",
        RawSocket.Dealer => "dealer",
        _ => "pair",
    };

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        ArgumentOutOfRangeException.ThrowIfLessThan((int)Socket, (int)RawSocket.Router, nameof(Socket));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((int)Socket, (int)RawSocket.Pair, nameof(Socket));
        byte[] to = Encoding.UTF8.GetBytes(ToSubject ?? "");
        byte[] from = Encoding.UTF8.GetBytes(FromSubject ?? "");
        if (!Subject.IsValidLiteral(to))
        {
            throw new ArgumentException(
                $"'{ToSubject}' is not a valid subject to publish to: "
                + "it must have non-empty tokens without white space or wildcards.",
                nameof(ToSubject));
        }

        if (!Subject.IsValidFilter(from))
        {
            throw new ArgumentException(
                $"'{FromSubject}' is not a valid subject to subscribe to.", nameof(FromSubject));
        }

        if (Subject.Matches(from, to))
        {
            throw new ArgumentException(
                $"'{FromSubject}' must not match '{ToSubject}': the route would receive its own messages.",
                nameof(FromSubject));
        }

        if (QueueGroup is not null && !Subject.IsValidLiteral(Encoding.UTF8.GetBytes(QueueGroup)))
        {
            throw new ArgumentException($"'{QueueGroup}' is not a valid name of a queue group.", nameof(QueueGroup));
        }

        if (CarryIdentities && Socket != RawSocket.Dealer)
        {
            throw new ArgumentException("CarryIdentities requires the socket DEALER.", nameof(CarryIdentities));
        }
    }

    internal override IReadOnlyList<string> Subjects
        => [ToSubject, QueueGroup is null ? FromSubject : $"{FromSubject} [{QueueGroup}]"];

    internal override BridgeRoute Create(RouteContext context) => new RawRoute(this, context);
}

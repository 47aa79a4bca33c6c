using System.Text;
using Broker.Bridge.Routes;
using Broker.Protocol.Subjects;

namespace Broker.Bridge.Raw;

/// <summary>
/// ROUTER, DEALER and PAIR programs, whose messages go to one subject as they are, and to whom those of another subject go: for dialogues that are
/// neither requests nor pipelines. Whom a message is from or for stands in the header <c>Zmq-Identity</c>, in hexadecimal digits.
/// </summary>
/// <remarks>
/// <para>One frame is the payload as it is; several are each a 4-byte big-endian length and its bytes, with their number in <c>Zmq-Frames</c>.</para>
/// <para>At most once. While there is no server, or that takes no more, ZeroMQ programs wait. What comes from the subject for somebody who is
/// not there, or whose mark is reached, is dropped and counted, as ROUTER drops it.</para>
/// </remarks>
public sealed record RawRouteOptions : SocketRouteOptions
{
    /// <summary>The socket.</summary>
    public required RawSocket Socket { get; init; }

    /// <summary>The subject to which messages of ZeroMQ programs go.</summary>
    public required string ToSubject { get; init; }

    /// <summary>The subject whose messages go to ZeroMQ programs; it may have wildcards. It must not match <see cref="ToSubject"/>.</summary>
    public required string FromSubject { get; init; }

    /// <summary>The queue group within which each message goes to one bridge. Default null: each bridge gets them all.</summary>
    public string? QueueGroup { get; init; }

    /// <summary>
    /// Of a DEALER: the first frame of each message is the identity in the header, as between the two sockets of a proxy. A ROUTER route
    /// at one end and such a route at the other are a proxy across subjects. Default false: all frames are the payload.
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
            throw new ArgumentException($"'{ToSubject}' is no subject that can be published to.", nameof(ToSubject));
        }

        if (!Subject.IsValidFilter(from))
        {
            throw new ArgumentException($"'{FromSubject}' is no subject that can be subscribed to.", nameof(FromSubject));
        }

        if (Subject.Matches(from, to))
        {
            throw new ArgumentException($"What goes to '{ToSubject}' would come back by '{FromSubject}'.", nameof(FromSubject));
        }

        if (QueueGroup is not null && !Subject.IsValidLiteral(Encoding.UTF8.GetBytes(QueueGroup)))
        {
            throw new ArgumentException($"'{QueueGroup}' is no name of a queue group.", nameof(QueueGroup));
        }

        if (CarryIdentities && Socket != RawSocket.Dealer)
        {
            throw new ArgumentException("Identities are carried in frames of a DEALER only.", nameof(CarryIdentities));
        }
    }

    internal override BridgeRoute Create(RouteContext context) => new RawRoute(this, context);
}

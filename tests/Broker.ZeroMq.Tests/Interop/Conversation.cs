using System.Text.Json.Nodes;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>Two sockets with matching types: which side begins, and what each side sees of the envelope.</summary>
internal sealed class Conversation
{
    private static readonly string Probe = ForeignSocket.Show(Wire.Ascii("probe")).ToJsonString();

    public Conversation(ConversationEnd one, ConversationEnd other) => (Asks, Answers) = one.Begins ? (one, other) : (other, one);

    public ConversationEnd Asks { get; }

    public ConversationEnd Answers { get; }

    /// <summary>The frames that the sender must send so that the other application gets the message.</summary>
    public byte[][] Said(params byte[][] frames) => (Asks.Type, Answers.Type) switch
    {
        ("DEALER", "REP") => [[], .. frames],
        ("ROUTER", _) => [Wire.Ascii(Answers.Id), .. frames],
        _ => frames,
    };

    /// <summary>The frames that the other application gets.</summary>
    public byte[][] Seen(params byte[][] frames) => (Asks.Type, Answers.Type) switch
    {
        ("REQ", "ROUTER") => [Wire.Ascii(Asks.Id), [], .. frames],
        (_, "ROUTER") => [Wire.Ascii(Asks.Id), .. frames],
        _ => frames,
    };

    /// <summary>Waits until a publisher's next message reaches the subscriber and no message is in transit.</summary>
    /// <param name="hasSubscribed">Whether the subscriber has a subscription, which it repeats to this
    /// publisher.</param>
    /// <param name="isKnown">Whether an XPUB knows the subscription already, so that it does not report it.</param>
    public async Task JoinAsync(bool hasSubscribed = false, bool isKnown = false)
    {
        if (Answers.Type is not ("SUB" or "XSUB"))
        {
            return;
        }

        if (!hasSubscribed)
        {
            await Answers.SubscribeAsync();
        }

        if (Asks.Type == "XPUB" && !isKnown)
        {
            Assert.Equal("""["01"]""", await Asks.Socket.ReceiveAsync());
            return;
        }

        // A PUB does not report that a subscription has arrived.
        await Wait.UntilAsync(
            async () =>
            {
                await Asks.Socket.SendAsync([Wire.Ascii("probe")]);
                string? got = await Answers.Socket.ReceiveAsync(timeout: 20);
                Assert.Equal(Probe, got ?? Probe);
                return got is not null;
            },
            "a probe");

        string over = ForeignSocket.Show(Wire.Ascii("over")).ToJsonString();
        await Asks.Socket.SendAsync([Wire.Ascii("over")]);
        while (await Answers.Socket.ReceiveAsync() is { } line && line != over)
        {
            Assert.Equal(Probe, line);
        }
    }

    /// <summary>Sends one message, and returns it if the types allow an answer.</summary>
    /// <param name="frames">The message.</param>
    /// <param name="before">A message of one frame that may arrive first and is skipped.</param>
    public async Task ExchangeAsync(byte[][] frames, byte[]? before = null)
    {
        byte[][] said = Said(frames);

        // A ROUTER reports that it does not know the peer yet. Retrying does not duplicate the message.
        await Wait.UntilAsync(() => Asks.Socket.SendAsync(said));
        string got = await Answers.Socket.ReceiveAsync() ?? throw new TimeoutException();
        if (before is not null && got == ForeignSocket.Show(Seen(before)).ToJsonString())
        {
            got = await Answers.Socket.ReceiveAsync() ?? throw new TimeoutException();
        }

        Assert.Equal(ForeignSocket.Show(Seen(frames)).ToJsonString(), got);
        if (!Answers.OnlyListens)
        {
            Assert.True(await Answers.Socket.SendAsync(JsonNode.Parse(got)!.AsArray()));
            Assert.Equal(ForeignSocket.Show(said).ToJsonString(), await Asks.Socket.ReceiveAsync());
        }
    }
}

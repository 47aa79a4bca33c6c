using Broker.Transport;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>The allocations of a message and its answer, for socket types that send and receive.</summary>
public sealed class ConversationAllocationTests
{
    // See SocketAllocationTests: an allocation per message occurs in each round, so a round without allocations ends
    // the test.
    private const int Rounds = 30;
    private const int PerRound = 1000;
    private const int Allowed = 512;
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<string> Pairs => [.. Kinds.Keys];

    private static Dictionary<string, Func<ZeroMqContext, Conversation>> Kinds => new()
    {
        ["REQ and REP"] = context => Between(new RequestSocket(context: context), new ResponseSocket(context: context)),
        ["DEALER and ROUTER"] = context => Between(new DealerSocket(context: context), new RouterSocket(context: context)),
        ["PAIR and PAIR"] = context => Between(new PairSocket(context: context), new PairSocket(context: context)),
        ["XSUB and XPUB"] = BetweenExtended,
    };

    // All the work is done on one thread, including the loop's.
    [Theory]
    [MemberData(nameof(Pairs))]
    public void A_thread_that_drives_the_loop_of_both_ends_allocates_nothing_for_a_message_and_its_answer(string pair)
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, CallerDriven = true });
        using var context = new ZeroMqContext(loops);
        using Conversation talk = Kinds[pair](context);

        long least = long.MaxValue;
        for (int round = 0; round < Rounds && least > Allowed; round++)
        {
            least = Math.Min(least, AllocatedInRound(() =>
            {
                talk.Ask();
                talk.Answer();
                talk.Hear();
            }));
        }

        Assert.InRange(least, 0, Allowed);
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void Threads_that_ask_and_answer_allocate_nothing_for_a_message(string pair)
    {
        // Other loops would use the chunks that these threads have returned to the pool.
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        using var context = new ZeroMqContext(loops);
        using Conversation talk = Kinds[pair](context);
        long asking = long.MaxValue;
        long answering = long.MaxValue;
        using var rounds = new Barrier(2);
        var answerer = new Thread(() => Go(talk.Answer, ref answering));
        answerer.Start();
        Go(
            () =>
            {
                talk.Ask();
                talk.Hear();
            },
            ref asking);

        Assert.True(answerer.Join(Wait.Limit));
        Assert.InRange(asking, 0, Allowed);
        Assert.InRange(answering, 0, Allowed);

        // As many rounds on either thread until both have had one without allocations.
        void Go(Action step, ref long least)
        {
            bool goesOn = true;
            for (int round = 0; round < Rounds && goesOn; round++)
            {
                least = Math.Min(least, AllocatedInRound(step));
                rounds.SignalAndWait(Wait.Limit);
                goesOn = Volatile.Read(ref asking) > Allowed || Volatile.Read(ref answering) > Allowed;
                rounds.SignalAndWait(Wait.Limit);
            }
        }
    }

    private static Conversation Between<TAsking, TAnswering>(TAsking asking, TAnswering answering)
        where TAsking : MessageSocket, ISendingSocket, IReceivingSocket
        where TAnswering : MessageSocket, ISendingSocket, IReceivingSocket
    {
        asking.Connect(answering.Bind(AnyPort));
        return Talk(asking, answering);
    }

    private static Conversation BetweenExtended(ZeroMqContext context)
    {
        var sub = new XSubscriberSocket(context: context);
        var pub = new XPublisherSocket(context: context);
        sub.Connect(pub.Bind(AnyPort));
        sub.Subscribe("");
        Assert.Equal([1], pub.ReceiveBytes());
        return Talk(sub, pub);
    }

    private static Conversation Talk<TAsking, TAnswering>(TAsking asking, TAnswering answering)
        where TAsking : MessageSocket, ISendingSocket, IReceivingSocket
        where TAnswering : MessageSocket, ISendingSocket, IReceivingSocket
    {
        // Neither a subscription nor a cancellation.
        byte[] question = new byte[64];
        question.AsSpan().Fill((byte)'q');
        byte[] heard = new byte[64];
        var asked = new ZeroMqMessage();
        return new Conversation(
            () => asking.Send(question),
            () =>
            {
                answering.Receive(asked);
                answering.Send(asked);
            },
            () => asking.Receive(heard),
            [asking, answering, asked]);
    }

    // On the calling thread.
    private static long AllocatedInRound(Action step)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < PerRound; i++)
        {
            step();
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private sealed record Conversation(Action Ask, Action Answer, Action Hear, IDisposable[] Parts) : IDisposable
    {
        public void Dispose() => Array.ForEach(Parts, part => part.Dispose());
    }
}

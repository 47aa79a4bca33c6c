namespace Broker.Bridge.Tests.Pipelines;

/// <summary>The waker asks a silent consumer whether it has messages, and wakes it only if it has some.</summary>
public sealed class ConsumerWakerTests
{
    private const int Wave = 16;

    private readonly SimulatedNats.Participant _participant = new SimulatedNats(0).Join("egress");
    private readonly ConsumerWaker<SimulatedNats.Wire> _waker;

    public ConsumerWakerTests() => _waker = new ConsumerWaker<SimulatedNats.Wire>("next"u8.ToArray(), "inbox", _participant.Wire);

    [Fact]
    public void A_consumer_without_messages_is_asked_again_and_not_woken()
    {
        for (int i = 0; i < 5; i++)
        {
            _waker.Tick();
            _waker.OnStatus(ConsumerWaker<SimulatedNats.Wire>.Question, 404);
        }

        Assert.Equal((4, 0), (Count("inbox.q"), Count("inbox.w")));
    }

    [Fact]
    public void One_that_has_messages_is_woken_until_one_comes()
    {
        Tick(2);
        _waker.OnStatus(ConsumerWaker<SimulatedNats.Wire>.Question, 408);
        Assert.Equal(Wave, Count("inbox.w"));

        EndWakes(Wave);
        Assert.Equal(2 * Wave, Count("inbox.w"));

        _waker.Reset();
        EndWakes(Wave);
        Assert.Equal(2 * Wave, Count("inbox.w"));
    }

    [Fact]
    public void One_that_takes_the_question_for_a_request_and_sends_nothing_is_woken()
    {
        Tick(3);

        Assert.Equal(Wave, Count("inbox.w"));
    }

    [Fact]
    public void Where_waking_brings_nothing_it_is_done_more_and_more_seldom()
    {
        List<int> ticks = [];
        for (int tick = 0; tick < 40; tick++)
        {
            int before = Count("inbox.w");
            _waker.Tick();
            _waker.OnStatus(ConsumerWaker<SimulatedNats.Wire>.Question, 408);
            if (Count("inbox.w") > before)
            {
                ticks.Add(tick);
            }
        }

        Assert.Equal([1, 2, 4, 8, 16, 32], ticks);
    }

    [Fact]
    public void A_wave_follows_a_wave_so_often_and_no_more()
    {
        Tick(2);
        _waker.OnStatus(ConsumerWaker<SimulatedNats.Wire>.Question, 408);
        EndWakes(100_000);

        Assert.Equal(512 * Wave, Count("inbox.w"));
    }

    private void Tick(int times)
    {
        for (; times > 0; times--)
        {
            _waker.Tick();
        }
    }

    private void EndWakes(int times)
    {
        for (; times > 0; times--)
        {
            _waker.OnStatus(ConsumerWaker<SimulatedNats.Wire>.Wake, 408);
        }
    }

    private int Count(string replyTo) => _participant.Asked.Count(asked => asked.ReplyTo == replyTo);
}

namespace Broker.ZeroMq.Tests.Queues;

public class ThreadParkerTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_wait_that_was_ended_before_it_began_returns_at_once(bool isPortable)
    {
        var parker = new ThreadParker(isPortable);
        parker.Arm();

        Assert.False(parker.End());
        Assert.True(parker.Wait(Timeout.Infinite));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_wait_ends_with_its_timeout(bool isPortable)
    {
        var parker = new ThreadParker(isPortable);
        parker.Arm();

        Assert.False(parker.Wait(1));
        parker.Arm();
        Assert.False(parker.Wait(0));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Each_of_many_waits_is_ended_by_another_thread(bool isPortable)
    {
        const int Rounds = 20_000;
        var ping = new ThreadParker(isPortable);
        var pong = new ThreadParker(isPortable);
        ping.Arm();
        pong.Arm();
        int answered = 0;
        var other = new Thread(() =>
        {
            for (int i = 0; i < Rounds && ping.Wait(Timeout.Infinite); i++)
            {
                answered++;
                ping.Arm();
                End(pong);
            }
        });
        other.Start();
        int got = 0;
        for (int i = 0; i < Rounds; i++)
        {
            End(ping);

            if (!pong.Wait(Timeout.Infinite))
            {
                break;
            }

            got++;
            pong.Arm();
        }

        other.Join();
        Assert.Equal((Rounds, Rounds), (answered, got));
    }

    private static void End(ThreadParker parker)
    {
        if (parker.End())
        {
            parker.Wake();
        }
    }
}

using NetMQ;

namespace Broker.NetMQCases;

internal static class TimerCases
{
    public static void A_timer_fires_until_it_is_disabled(Transcript t)
    {
        using var poller = new NetMQPoller();
        var timer = new NetMQTimer(TimeSpan.FromMilliseconds(5));
        int count = 0;
        timer.Elapsed += (sender, e) =>
        {
            t.Show("sender", sender?.GetType().Name);
            t.Show("timer", ReferenceEquals(e.Timer, timer));
            if (++count == 3)
            {
                e.Timer.Enable = false;
                poller.Stop();
            }
        };
        t.Show("enabled", timer.Enable);
        t.Show("interval", timer.Interval);
        poller.Add(timer);
        poller.Run();
        t.Show("count", count);
        t.Show("enabled", timer.Enable);
        var args = new NetMQTimerEventArgs(timer);
        t.Show("args", ReferenceEquals(args.Timer, timer));
    }

    public static void Timers_fire_in_the_order_of_their_times(Transcript t)
    {
        using var poller = new NetMQPoller();
        var late = new NetMQTimer(300);
        var early = new NetMQTimer(100);
        var never = new NetMQTimer(50) { Enable = false };
        late.Elapsed += (_, _) =>
        {
            t.Show("late", never.Enable);
            poller.Stop();
        };
        early.Elapsed += (_, _) =>
        {
            t.Show("early", early.Interval);
            early.Enable = false;
        };
        never.Elapsed += (_, _) => t.Show("never", null);
        poller.Add(late);
        poller.Add(early);
        poller.Add(never);
        poller.Run();
    }

    public static void A_timer_changes_while_its_poller_runs(Transcript t)
    {
        using var poller = new NetMQPoller();
        using var fired = new SemaphoreSlim(0);
        var timer = new NetMQTimer(3_600_000);
        timer.Elapsed += (_, _) =>
        {
            timer.Enable = false;
            fired.Release();
        };
        poller.Add(timer);
        poller.RunAsync();
        poller.Run(() => timer.Interval = 10);
        t.Show("fired", fired.Wait(Ports.Soon));
        t.Show("interval", timer.Interval);
        poller.Run(timer.EnableAndReset);
        t.Show("fired", fired.Wait(Ports.Soon));
        poller.Run(() => timer.Enable = true);
        t.Show("fired", fired.Wait(Ports.Soon));
        poller.Remove(timer);
        t.Show("contained", poller.ContainsAsync(timer).Result);
        poller.Stop();
    }

    public static void A_timer_of_a_stopped_poller_waits(Transcript t)
    {
        using var poller = new NetMQPoller();
        var timer = new NetMQTimer(1);
        int count = 0;
        timer.Elapsed += (_, _) =>
        {
            count++;
            poller.Stop();
        };
        poller.Add(timer);
        Thread.Sleep(30);
        t.Show("before", count);
        poller.Run();
        t.Show("after", count);
    }
}

using Broker.Testing;

namespace Broker.Hosting.Tests;

public sealed class ShutdownTimeTests
{
    private static readonly TimeSpan Whole = TimeSpan.FromSeconds(30);

    private readonly VirtualTime _time = new();

    [Fact]
    public void What_is_left_is_the_hosts_time_without_what_others_have_used()
    {
        var shutdown = new ShutdownTime(Whole, _time);
        shutdown.Begin();
        _time.Advance(TimeSpan.FromSeconds(10));
        shutdown.Begin();

        Assert.Equal(TimeSpan.FromSeconds(20), shutdown.Left());
    }

    [Fact]
    public void A_little_is_left_when_all_of_it_is_used()
    {
        var shutdown = new ShutdownTime(Whole, _time);
        shutdown.Begin();
        _time.Advance(TimeSpan.FromSeconds(31));

        Assert.Equal(ShutdownTime.Least, shutdown.Left());
    }

    [Fact]
    public void A_host_without_a_limit_has_one_that_a_timer_takes() => Assert.Equal(ShutdownTime.Most, new ShutdownTime(Timeout.InfiniteTimeSpan, _time).Left());
}

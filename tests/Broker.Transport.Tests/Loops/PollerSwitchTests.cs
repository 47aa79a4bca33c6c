namespace Broker.Transport.Tests;

/// <summary>Tests which poller a process uses.</summary>
public sealed class PollerSwitchTests
{
    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public void The_switch_of_the_process_makes_all_loops_portable_as_the_option_makes_one(bool option, bool all)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere there is no other way.");
        AppContext.TryGetSwitch(SystemPoller.PortableSwitch, out bool before);
        try
        {
            AppContext.SetSwitch(SystemPoller.PortableSwitch, all);
            using Poller poller = SystemPoller.Create(option);
            Assert.IsType(option || all ? typeof(PortablePoller) : typeof(EpollPoller), poller);
        }
        finally
        {
            AppContext.SetSwitch(SystemPoller.PortableSwitch, before);
        }
    }
}

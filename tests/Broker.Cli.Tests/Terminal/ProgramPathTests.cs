using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.Terminal;

public sealed class ProgramPathTests
{
    [Theory]
    [InlineData("/usr/bin/broker", "/home", "/bin:/usr/bin", "broker")]
    [InlineData("/home/a/src/broker", "/home/a", "/bin", "src/broker")]
    [InlineData("/home/a/broker", "/home/a", "/bin", "./broker")]
    [InlineData("/opt/broker/broker", "/home/a", "/bin", "/opt/broker/broker")]
    [InlineData("/opt/my broker/broker", "/home/a", "/bin", "\"/opt/my broker/broker\"")]
    [InlineData("", "/home/a", "/bin", "broker")]
    public void It_is_called_by_the_shortest_that_a_shell_understands(string process, string current, string searched, string typed)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "paths of Unix");
        Assert.Equal(typed, ProgramPath.ToType(process, "broker.dll", current, searched));
    }
}

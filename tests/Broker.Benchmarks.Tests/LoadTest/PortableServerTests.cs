using System.Globalization;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

public class PortableServerTests
{
    [Fact]
    public void The_server_of_that_option_waits_by_the_runtime_s_poller_and_ours_by_one_of_its_own()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere there is the portable poller alone.");
        IReadOnlyList<ServerCommand> commands = KnownServers.With([], [], portable: true);
        using var resources = new DriverResources();

        int ours = Pollers(KnownServers.Ours);
        int portable = Pollers(KnownServers.Portable);

        Assert.InRange(portable, 1, ours - 1);

        int Pollers(string name)
        {
            using ServerProcess server = ServerProcess.Start(commands.Single(command => command.Name == name), resources);
            string folder = $"/proc/{server.Process.Id.ToString(CultureInfo.InvariantCulture)}/fd";
            return Directory.EnumerateFileSystemEntries(folder)
                .Count(entry => new FileInfo(entry).LinkTarget?.Contains("eventpoll", StringComparison.Ordinal) is true);
        }
    }

    [Fact]
    public void Without_it_nobody_measures_the_portable_poller()
        => Assert.DoesNotContain(KnownServers.With([], []), command => command.Name == KnownServers.Portable);
}

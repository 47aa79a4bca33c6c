using System.Globalization;
using System.Text.Json.Nodes;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

public class PortableServerTests
{
    [Fact]
    public void The_portable_server_uses_the_runtime_s_poller_and_the_default_server_its_own()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere there is the portable poller alone.");
        IReadOnlyList<ServerCommand> commands = KnownServers.With([], [], portable: true);
        using var resources = new DriverResources();

        int ours = Pollers(KnownServers.Ours);
        int portable = Pollers(KnownServers.Portable);

        Assert.InRange(portable, 1, ours - 1);

        int Pollers(string name)
        {
            using var server = ServerProcess.Start(commands.Single(command => command.Name == name), resources);
            string folder = $"/proc/{server.Process.Id.ToString(CultureInfo.InvariantCulture)}/fd";
            return Directory.EnumerateFileSystemEntries(folder)
                .Count(entry => new FileInfo(entry).LinkTarget?.Contains("eventpoll", StringComparison.Ordinal) is true);
        }
    }

    [Fact]
    public void The_portable_configuration_differs_from_the_default_only_in_the_poller()
    {
        JsonNode ours = Configuration("broker.runtimeconfig.json");
        JsonNode portable = Configuration("broker-portable.runtimeconfig.json");

        Assert.True(portable["runtimeOptions"]!["configProperties"]!.AsObject().Remove("Broker.Transport.ForcePortable"));
        Assert.Equal(ours.ToJsonString(), portable.ToJsonString());

        static JsonNode Configuration(string file) => JsonNode.Parse(File.ReadAllText(Path.Combine(AppContext.BaseDirectory, file)))!;
    }

    [Fact]
    public void Without_the_option_the_portable_poller_is_not_measured()
        => Assert.DoesNotContain(KnownServers.With([], []), command => command.Name == KnownServers.Portable);
}

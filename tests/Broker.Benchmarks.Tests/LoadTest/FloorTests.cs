using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

/// <summary>
/// The comparison program that sets the lower bound of the cost serves all rows in which it is compared.
/// </summary>
public sealed class FloorTests : IDisposable
{
    private static readonly string[] Rows =
        ["pub0", "pub2400", "PubSub", "twoconns16", "fanout4", "fanin50", "request16", "real-one16-100", "real-one256-1k", "real-one16-replies", "real-fanin50-1k", "real-fanout20-1k"];

    private readonly string _folder = Directory.CreateTempSubdirectory("floor-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task The_floor_program_delivers_every_message_of_its_rows()
    {
        string? gcc = Programs.Find("gcc");
        Missing.Unless(gcc is not null, "gcc");
        string floor = Path.Combine(_folder, "floor");
        (int exitCode, string text) = await Programs.RunAsync(
            gcc!, "", "-O2", "-Wall", "-Wextra", "-Werror", "-o", floor, Path.Combine(Repository.Root, "benchmarks/Broker.LoadTest/Floor/floor.c"));
        Assert.True(exitCode == 0, text);
        using var resources = new DriverResources();
        using var server = ServerProcess.Start(ServerCommand.Parse($"floor={floor} {{port}} 0"), resources);

        var target = new Target(server, resources.Buffers);
        foreach (Row row in Catalogue.Select(Rows))
        {
            row.Verify(target);
            Measurement measured = row.Measure(target, row.FewestMessages);
            Assert.True(measured.Messages > 0, row.Name);
        }

        server.ThrowIfEnded();
    }
}

using System.Globalization;
using Migration;

namespace Broker.Bridge.Tests;

/// <summary>The systems of samples/Migration print the same counts at each step.</summary>
public sealed class MigrationSampleTests
{
    public static TheoryData<Step, bool> Steps
        => [.. Enum.GetValues<Step>().SelectMany(step => new[] { new TheoryDataRow<Step, bool>(step, false), new TheoryDataRow<Step, bool>(step, true) })];

    [Theory]
    [MemberData(nameof(Steps))]
    public async Task Device_events_arrive_at_each_step(Step step, bool foreign)
    {
        string[] lines = await RunAsync(DeviceEvents.RunAsync, step, foreign);
        Assert.Equal(["monitor: 2000 events of 2000", .. step == Step.HalfNative ? (string[])["native monitor: 2000 events of 2000"] : []], lines);
    }

    [Theory]
    [MemberData(nameof(Steps))]
    public async Task Device_commands_are_answered_at_each_step(Step step, bool foreign)
    {
        string[] lines = await RunAsync(DeviceCommands.RunAsync, step, foreign);
        Assert.Equal(["controller: 500 commands of 500", .. step == Step.HalfNative ? (string[])["native controller: 500 commands of 500"] : []], lines);
    }

    [Theory]
    [MemberData(nameof(Steps))]
    public async Task The_central_log_has_each_line_at_each_step(Step step, bool foreign)
        => Assert.Equal(["collector: 10000 lines, 10000 of them different, of 10000"], await RunAsync(CentralLogging.RunAsync, step, foreign));

    private static async Task<string[]> RunAsync(Func<Step, string?, TextWriter, Task> system, Step step, bool foreign)
    {
        Pipelines.Support.PyPeer.Require();
        using NatsServer? server = foreign ? NatsServer.Start() : null;
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        await Wait.For(system(step, server?.Url, output));
        return output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }
}

using System.Diagnostics;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>The five programs of samples/NetMQGuide, unchanged, on NetMQ and on our package.</summary>
public sealed class GuideTests
{
    [Theory]
    [InlineData("greetings", "Hello, Ada|Hello, Grace|Hello, Barbara|bye")]
    [InlineData("weather", "subscription oslo|subscription end|24 readings, 9 degrees on average")]
    [InlineData("tasks", "the sum of 100 squares is 328350")]
    [InlineData("balancer", "request 1 is done|request 2 is done|request 3 is done|request 4 is done|request 5 is done|request 6 is done|request 7 is done|request 8 is done|request 9 is done|request 10 is done")]
    [InlineData("thermostat", "19 degrees: on|22 degrees: off|16 degrees: on|the queue is empty|6 temperatures")]
    public async Task A_program_prints_the_same_on_both(string program, string lines)
    {
        string wanted = lines.Replace('|', '\n') + "\n";
        Assert.Equal(wanted, await RunAsync(Path.Combine(CasePrograms.RealFolder, "netmq-cases-real.dll"), program));
        Assert.Equal(wanted, await RunAsync(Path.Combine(CasePrograms.OursFolder, "netmq-cases-ours.dll"), program));
    }

    // The code of docs/from-netmq.md, as a suite of Broker.NetMQ compares it with the page.
    [Fact]
    public void The_program_of_the_page_runs_on_our_package()
    {
        using var server = new ResponseSocket();
        int port = server.BindRandomPort("tcp://127.0.0.1");
        using var client = new RequestSocket($">tcp://127.0.0.1:{port}");
        client.SendFrame("Ada");
        server.SendFrame("Hello, " + server.ReceiveFrameString());

        Assert.Equal("Hello, Ada", client.ReceiveFrameString());
    }

    private static async Task<string> RunAsync(string assembly, string program)
    {
        var start = new ProcessStartInfo("dotnet", [assembly, "guide", program]) { RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        try
        {
            string output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
            await process.WaitForExitAsync(TestContext.Current.CancellationToken);
            return output.ReplaceLineEndings("\n");
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill();
            }
        }
    }
}

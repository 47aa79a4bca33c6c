using System.Diagnostics;

namespace Broker.Protocol.Tests.Parsing;

/// <summary>The same tests where the processor has no wide registers: a process decides that once, so others are started.</summary>
public sealed class PlainPathTests
{
    [Theory]
    [InlineData("DOTNET_EnableHWIntrinsic")]
    [InlineData("DOTNET_EnableAVX2")]
    public async Task Parsers_agree_without_wide_registers(string setting)
    {
        string program = Path.Combine(AppContext.BaseDirectory, typeof(PlainPathTests).Assembly.GetName().Name!);
        program += OperatingSystem.IsWindows() ? ".exe" : "";
        var start = new ProcessStartInfo(program) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (Type type in (Type[])[typeof(SplitTests), typeof(LineScanTests), typeof(LimitTests), typeof(HandlerTests)])
        {
            start.ArgumentList.Add("-class");
            start.ArgumentList.Add(type.FullName!);
        }

        start.Environment[setting] = "0";
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        Task<string> errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        using var late = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        late.CancelAfter(TimeSpan.FromMinutes(5));
        try
        {
            await process.WaitForExitAsync(late.Token);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill();
            }
        }

        string said = await output + await errors;
        Assert.True(process.ExitCode == 0, said);
        Assert.Contains("Failed: 0", said, StringComparison.Ordinal);
        Assert.DoesNotContain("Total: 0", said, StringComparison.Ordinal);
    }
}

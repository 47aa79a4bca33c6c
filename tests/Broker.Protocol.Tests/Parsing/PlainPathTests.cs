using System.Diagnostics;

namespace Broker.Protocol.Tests.Parsing;

/// <summary>
/// Runs the same tests without vector instructions. They can only be disabled for a whole process, so the test starts
/// others.
/// </summary>
public sealed class PlainPathTests
{
    [Theory]
    [InlineData("DOTNET_EnableHWIntrinsic")]
    [InlineData("DOTNET_EnableAVX2")]
    public async Task The_tests_pass_without_vector_instructions(string setting)
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

using Broker.LoadTest.Scale;

namespace Broker.Benchmarks.Tests.LoadTest;

public class ScaleTests
{
    [Fact]
    public async Task A_small_run_shows_each_step_and_start_and_leaves_nothing_in_its_directory()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "A broker is ended by a signal.");
        DirectoryInfo directory = Directory.CreateTempSubdirectory("scale-");
        try
        {
            using var output = new StringWriter();
            var settings = new ScaleSettings { Streams = 10, Consumers = 20, Keys = 100, Gigabytes = 0.001, Directory = directory };

            await new ScaleRun(settings, output).RunAsync(TestContext.Current.CancellationToken);

            string[] rows = [.. output.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(2).Select(static row => row.Split('|')[1].Trim().Split(':')[0])];
            Assert.Equal(
                [
                    "streams created", "messages, one after the other to each stream", "consumers created", "consumers that fetch and acknowledge 10", "keys put", "keys got",
                    "keys put again", "start after an orderly end", "start again", "start after a kill", "messages of 4096 bytes",
                    "start with 0.001 GB, after an orderly end", "start with 0.001 GB, after a kill",
                ],
                rows);
            Assert.Empty(directory.EnumerateFileSystemInfos());
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }
}

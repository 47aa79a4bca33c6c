using System.Diagnostics;
using System.Globalization;
using Broker.HostileRun.Attacks;
using Broker.HostileRun.Site;

namespace Broker.Benchmarks.Tests.HostileRun;

public sealed class AttackersPriorityTests
{
    [Fact]
    public async Task All_threads_of_attackers_of_the_lowest_priority_have_it()
    {
        int[] found = await NicenessAsync(AttackersPriority.Lowest);

        Assert.NotEmpty(found);
        Assert.All(found, nice => Assert.Equal(19, nice));
    }

    [Fact]
    public async Task Attackers_of_normal_priority_have_that_of_this_process()
    {
        using var own = Process.GetCurrentProcess();
        int[] found = await NicenessAsync(AttackersPriority.Normal);

        Assert.NotEmpty(found);
        Assert.All(found, nice => Assert.Equal(Niceness(own)[0], nice));
    }

    // Nobody listens at the endpoints, so each attack ends at once.
    private static async Task<int[]> NicenessAsync(AttackersPriority priority)
    {
        using var files = new SiteFiles();
        using var attackers = new AttackersProcess(files, [Catalogue.All[0]], priority);
        await Wait.UntilAsync(() => attackers.Counts.Count == 1, "the attackers have begun");
        int[] found = Niceness(attackers.Process);
        await attackers.EndAsync();
        return found;
    }

    // The priority of Linux for each thread; elsewhere that of the process, where 19 stands for Idle.
    private static int[] Niceness(Process process)
    {
        if (!OperatingSystem.IsLinux())
        {
            process.Refresh();
            return [process.PriorityClass == ProcessPriorityClass.Idle ? 19 : 0];
        }

        return [.. Directory.EnumerateDirectories($"/proc/{process.Id}/task").Select(ThreadNiceness).OfType<int>()];
    }

    // The name of the thread, in parentheses, may contain spaces. The niceness is the 17th word after it.
    private static int? ThreadNiceness(string thread)
    {
        try
        {
            string text = File.ReadAllText(Path.Combine(thread, "stat"));
            return int.Parse(text[(text.LastIndexOf(')') + 2)..].Split(' ')[16], CultureInfo.InvariantCulture);
        }
        catch (IOException)
        {
            // The thread has just ended.
            return null;
        }
    }
}

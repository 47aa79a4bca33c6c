namespace Broker.TestKit.Processes;

/// <summary>What happens when a real program is not installed: the test is skipped by name, but in CI it fails.</summary>
public static class Missing
{
    public static void Unless(bool found, string peer)
    {
        if (found)
        {
            return;
        }

        if (string.Equals(Environment.GetEnvironmentVariable("CI"), "true", StringComparison.OrdinalIgnoreCase))
        {
            Assert.Fail($"{peer} is missing, and CI must have every peer");
        }

        Assert.Skip($"{peer} is missing (eng/test.sh installs it on Debian)");
    }
}

namespace Broker.TestKit.Processes;

/// <summary>Skips a test if a real program is not installed. In CI the test fails.</summary>
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

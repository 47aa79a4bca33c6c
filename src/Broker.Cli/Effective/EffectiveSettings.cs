using System.CommandLine;
using Broker.Cli.Configuration;

namespace Broker.Cli.Effective;

/// <summary>Lists the settings in effect, each with its source.</summary>
/// <param name="known">The settings that are not only read from the file.</param>
/// <param name="settings">The values in effect.</param>
/// <param name="file">The keys of the file.</param>
/// <param name="given">Returns a flag as it was typed, or null if it was not given.</param>
internal sealed class EffectiveSettings(
    IReadOnlyList<KnownSetting> known, ServeSettings settings, FileSettings file, Func<Option, string?> given)
{
    private static readonly string[] NoEffect = ["no_system_account", "no_system", "no_sys_acc", "no_header_support"];

    /// <summary>The settings. Those of a block stand together.</summary>
    public IReadOnlyList<ShownSetting> List()
    {
        ShownSetting[] leaves = [.. file.Leaves.Where(IsInEffect)];
        List<ShownSetting> all = [.. known.Select(Show).OfType<ShownSetting>().Concat(leaves)];
        ILookup<string, ShownSetting> blocks = all.ToLookup(static shown => Root(shown.Key), StringComparer.OrdinalIgnoreCase);
        return [.. blocks.SelectMany(static block => block)];
    }

    private ShownSetting? Show(KnownSetting setting)
    {
        object? value = setting.Value(settings);
        return value == KnownSetting.Absent ? null : new ShownSetting(setting.Key, value, Origin(setting), setting.IsSecret);
    }

    private SettingOrigin Origin(KnownSetting setting)
    {
        if (setting.Flags.Select(given).FirstOrDefault(static typed => typed is not null) is { } flag)
        {
            return SettingOrigin.OfFlag(flag);
        }

        ConfigEntry? entry = setting.FileKeys.Select(file.Find).FirstOrDefault(found => found is not null && setting.Counts(found.Value));
        return entry is null ? SettingOrigin.Default : SettingOrigin.OfEntry(entry, file.Path);
    }

    private bool IsInEffect(ShownSetting leaf) => IsSetting(leaf) && !IsTurnedOff(leaf) && !known.Any(setting => Shows(setting, leaf.Key));

    // A key outside of all blocks may be only a variable, or turn off a feature that the broker does not have.
    private bool IsSetting(ShownSetting leaf)
    {
        string root = Root(leaf.Key);
        return !(root == leaf.Key && file.Find(root) is { IsVariable: true })
            && !UnsupportedKeys.OfFile.ContainsKey(root)
            && !UnsupportedKeys.WithoutEffect.ContainsKey(root)
            && !NoEffect.Contains(root, StringComparer.OrdinalIgnoreCase);
    }

    // A flag may turn off a block of the file, such as --tls=false.
    private bool IsTurnedOff(ShownSetting leaf)
        => known.FirstOrDefault(setting => setting.FileKeys.Contains(Root(leaf.Key), StringComparer.OrdinalIgnoreCase))?.Value(settings) is false;

    // A value from a flag also replaces the parts that the file gives the value.
    private bool Shows(KnownSetting setting, string key)
        => setting.FileKeys.Contains(key, StringComparer.OrdinalIgnoreCase)
        || (setting.Flags.Any(flag => given(flag) is not null)
            && setting.FileKeys.Any(name => key.StartsWith(name + "[", StringComparison.OrdinalIgnoreCase)
                || key.Equals(name + ".allow", StringComparison.OrdinalIgnoreCase)));

    private static string Root(string path) => path.Split('.', '[')[0];
}
